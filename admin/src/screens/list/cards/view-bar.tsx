import type { ReactNode } from 'react';
import { t } from '../../../base/i18n.ts';
import type { Field } from '../../../meta/meta.ts';
import { labelOf } from '../../../meta/standard-fields.ts';
import { Select } from '../../../widgets/select.tsx';
import css from './cards.module.css';

/** The settings of a view, in a line above it. */
export function ViewBar({ children }: { readonly children: ReactNode }) {
  return <div className={css['bar']}>{children}</div>;
}

/** Chooses the field that a view is made of. */
export function FieldPick({
  label,
  fields,
  value,
  onChange,
  isClearable = false,
}: {
  readonly label: string;
  readonly fields: readonly Field[];
  readonly value: string | null;
  readonly onChange: (fieldname: string | null) => void;
  readonly isClearable?: boolean;
}) {
  return (
    <span className={css['pick']}>
      <span aria-hidden="true">{label}</span>
      <Select
        aria-label={label}
        value={value}
        choices={fields.map((field) => ({ value: field.fieldname, label: labelOf(field) }))}
        onChange={(name) => (name !== null || isClearable) && onChange(name)}
        isClearable={isClearable}
        placeholder={t('None')}
      />
    </span>
  );
}
