import { useContext } from 'react';
import { t, tn } from '../base/i18n.ts';
import type { Field } from '../meta/meta.ts';
import { labelOf } from '../meta/standard-fields.ts';
import { Alert } from '../widgets/feedback.tsx';
import { MultiSelectControl } from '../widgets/fields/multi-select-control.tsx';
import { Muted } from '../widgets/layout.tsx';
import type { Values } from './doc-values.ts';
import { type Holder, useFieldState } from './field-state.ts';
import { useFieldError, useForm, useValue } from './form-context.ts';
import { TableSlot } from './table-slot.ts';

interface TableFieldProps {
  readonly field: Field;
  readonly holder: Holder;
}

/** A table field, in the grid component of the screen. */
export function TableField({ field, holder }: TableFieldProps) {
  const form = useForm();
  const Grid = useContext(TableSlot);
  const error = useFieldError(field.fieldname);
  const { isRequired, isReadOnly } = useFieldState(field, holder);
  const child = form.children.get(field.options);
  if (!child)
    return (
      <Alert tone="warning">
        {t('{field} needs the doctype {doctype}, which does not exist.', {
          field: labelOf(field),
          doctype: field.options,
        })}
      </Alert>
    );
  if (!Grid)
    return <Muted>{tn(form.store.rows(field.fieldname).length, '{count} row', '{count} rows')}</Muted>;
  return (
    <Grid
      field={field}
      child={child}
      isReadOnly={isReadOnly}
      isRequired={isRequired && !isReadOnly}
      error={error ?? undefined}
    />
  );
}

/** A Table MultiSelect: each row is one choice. */
export function ChoicesField({ field, holder }: TableFieldProps) {
  const form = useForm();
  const { store } = form;
  useValue(field.fieldname);
  const error = useFieldError(field.fieldname);
  const { isRequired, isReadOnly } = useFieldState(field, holder);
  const link = form.children.get(field.options)?.fields.find((one) => one.fieldtype === 'Link');
  if (!link) return <TableField field={field} holder={holder} />;
  const rows = store.rows(field.fieldname);
  const names = rows.map((row) => String(row.values[link.fieldname] ?? '')).filter(Boolean);
  const change = (next: readonly string[]) => {
    const known = new Map<string, Values>(
      rows.map((row) => [String(row.values[link.fieldname]), row.values]),
    );
    store.replaceRows(
      field.fieldname,
      next.map((name) => known.get(name) ?? { [link.fieldname]: name }),
    );
  };
  return (
    <MultiSelectControl
      field={field}
      target={link.options}
      names={names}
      onChange={change}
      isReadOnly={isReadOnly}
      isRequired={isRequired}
      error={error ?? undefined}
      doctype={form.meta.name}
      docname={form.docname}
      valueOf={(name) => store.get(name)}
    />
  );
}
