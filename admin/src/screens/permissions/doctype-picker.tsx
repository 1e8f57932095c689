import { t } from '../../base/i18n.ts';
import { type BootDoctype, useBoot } from '../../data/boot.ts';
import { Select } from '../../widgets/select.tsx';

/** A choice of a doctype with records, without child tables. */
export function DoctypePicker({
  label,
  placeholder,
  value,
  onChange,
  isClearable,
  isRequired,
  isFit = () => true,
}: {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onChange: (doctype: string) => void;
  readonly isClearable?: boolean;
  readonly isRequired?: boolean;
  readonly isFit?: (doctype: BootDoctype) => boolean;
}) {
  const { doctypes } = useBoot();
  const known = [...doctypes.values()].filter((one) => !one.istable && isFit(one));
  return (
    <Select
      label={label}
      placeholder={placeholder}
      isSearchable
      isClearable={isClearable}
      isRequired={isRequired}
      value={value || null}
      onChange={(next) => onChange(next ?? '')}
      choices={known.map(({ name }) => ({ value: name, label: t(name) }))}
    />
  );
}
