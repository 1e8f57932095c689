import { t } from '../base/i18n.ts';
import css from './list-grid.module.css';
import type { Row } from './list-requests.ts';

/** The check box of a row, or of all rows. */
export function SelectBox({
  label,
  isOn,
  isMixed = false,
  onChange,
}: {
  readonly label: string;
  readonly isOn: boolean;
  /** True if only some rows are selected. */
  readonly isMixed?: boolean;
  /** Without it, whoever holds the box handles clicks and keys. */
  readonly onChange?: (isOn: boolean) => void;
}) {
  return (
    <input
      type="checkbox"
      className={css['selectBox']}
      tabIndex={-1}
      aria-label={label}
      checked={isOn}
      readOnly={!onChange}
      ref={(box) => {
        if (box) box.indeterminate = isMixed;
      }}
      onChange={onChange && ((event) => onChange(event.currentTarget.checked))}
    />
  );
}

/** Shows whether a row is selected. The grid handles clicks and keys. */
export function RowBox({ row, isSelected }: { readonly row: Row; readonly isSelected: boolean }) {
  return <SelectBox label={t('Select {name}', { name: String(row['name']) })} isOn={isSelected} />;
}
