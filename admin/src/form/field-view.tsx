import { memo, useCallback } from 'react';
import { fieldEntry } from '../meta/field-registry.ts';
import { isLayout } from '../meta/fieldtypes.ts';
import type { Field } from '../meta/meta.ts';
import '../widgets/fields/register-controls.ts';
import { UnknownControl } from '../widgets/fields/unknown-control.tsx';
import { isUnset } from './doc-values.ts';
import { sizeOfField } from './field-size.ts';
import { type Holder, pathBeside, useFieldState } from './field-state.ts';
import css from './form.module.css';
import { useFieldError, useForm, useValue } from './form-context.ts';
import { tellRendered } from './render-probe.ts';
import { StaticField } from './static-field.tsx';
import { ChoicesField, TableField } from './table-field.tsx';

interface FieldViewProps {
  readonly field: Field;
  readonly holder: Holder;
}

/** One field of a form. It re-renders only when its value, its error or a field of its conditions changes. */
export const FieldView = memo(function FieldView({ field, holder }: FieldViewProps) {
  return (
    <div
      className={css['field']}
      data-path={`${holder.prefix}${field.fieldname}`}
      data-size={sizeOfField(
        field.fieldname,
        field.fieldtype,
        holder.meta.istable ? '' : holder.meta.title_field,
      )}
    >
      <Part field={field} holder={holder} />
    </div>
  );
});

function Part({ field, holder }: FieldViewProps) {
  if (isLayout(field.fieldtype)) return <StaticField field={field} holder={holder} />;
  if (field.fieldtype === 'Table') return <TableField field={field} holder={holder} />;
  if (field.fieldtype === 'Table MultiSelect') return <ChoicesField field={field} holder={holder} />;
  return <ValueField field={field} holder={holder} />;
}

function ValueField({ field, holder }: FieldViewProps) {
  const form = useForm();
  const { store } = form;
  const path = `${holder.prefix}${field.fieldname}`;
  tellRendered(path);
  const value = useValue(path);
  // A Dynamic Link depends on another field for its doctype, an amount on one for its currency.
  useValue(leadsElsewhere(field) ? pathBeside(form, holder, field.options) : path);
  const error = useFieldError(path);
  const { isRequired, isReadOnly } = useFieldState(field, holder);
  const change = useCallback((next: unknown) => store.set(path, next), [store, path]);
  const complain = useCallback((message: string) => store.setError(path, message), [store, path]);
  const ask = useCallback((name: string) => store.get(pathBeside(form, holder, name)), [store, form, holder]);
  const Control = fieldEntry(field.fieldtype).Control ?? UnknownControl;
  return (
    <div className={isReadOnly ? css['readOnly'] : undefined} data-unset={isUnset(value) || undefined}>
      <Control
        field={field}
        value={value}
        onChange={change}
        onProblem={complain}
        isReadOnly={isReadOnly}
        isRequired={isRequired && !isReadOnly}
        error={error ?? undefined}
        doctype={holder.meta.name}
        docname={form.docname}
        valueOf={ask}
      />
    </div>
  );
}

function leadsElsewhere({ fieldtype, options }: Field): boolean {
  return ['Dynamic Link', 'Currency'].includes(fieldtype) && options !== '';
}
