import { t } from '../base/i18n.ts';
import css from './list-grid.module.css';
import type { Row } from './list-requests.ts';

/** Shows whether a row is selected. The grid handles clicks and keys. */
export function SelectBox({ row, isSelected }: { readonly row: Row; readonly isSelected: boolean }) {
  return (
    <input
      type="checkbox"
      className={css['selectBox']}
      tabIndex={-1}
      checked={isSelected}
      readOnly
      aria-label={t('Select {name}', { name: String(row['name']) })}
    />
  );
}
