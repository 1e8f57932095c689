import { t } from '../../base/i18n.ts';
import { type Condition, listOf, type Scalar, shapeOf } from '../../grid/list-filters.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { choicesOf, docstatusWord } from '../../meta/field-values.ts';
import { isNumber } from '../../meta/fieldtypes.ts';
import type { Field } from '../../meta/meta.ts';
import { DateControl } from '../../widgets/fields/date-control.tsx';
import { LinkControl } from '../../widgets/fields/link-control.tsx';
import { NumberControl } from '../../widgets/fields/number-control.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Select } from '../../widgets/select.tsx';
import { ValuesInput } from '../../widgets/values-input.tsx';
import css from './filter-builder.module.css';

interface ValueProps {
  readonly field: Field;
  readonly label: string;
  readonly doctype: string;
}

/**
 * Input for the value of a condition. The operator sets the number of values, the fieldtype sets the input.
 */
export function FilterValue({
  condition,
  onChange,
  ...rest
}: ValueProps & { readonly condition: Condition; readonly onChange: (value: Condition['value']) => void }) {
  const { operator, value } = condition;
  const { field, label } = rest;
  const values = listOf(value);
  switch (shapeOf(operator)) {
    case 'presence':
      return (
        <Select
          aria-label={label}
          value={values[0] === 'not set' ? 'not set' : 'set'}
          onChange={(next) => onChange(next)}
          choices={[
            { value: 'set', label: t('set') },
            { value: 'not set', label: t('not set') },
          ]}
        />
      );
    case 'pattern':
      return (
        <TextInput
          aria-label={label}
          value={String(values[0] ?? '')}
          onChange={onChange}
          placeholder={t('Text; % matches any characters')}
        />
      );
    case 'many':
      return (
        <ValuesInput
          label={label}
          value={values.map((one) => String(one ?? ''))}
          onChange={(next) => onChange(isNumber(field.fieldtype) ? next.map(numberOr) : next)}
          choices={choicesOf(field.fieldtype === 'Select' ? field : { ...field, options: '' })}
          doctype={field.fieldtype === 'Link' ? field.options : ''}
          placeholder={t('Values with commas')}
        />
      );
    case 'range':
      return (
        <span className={css['range']}>
          <OneValue
            {...rest}
            label={t('{label} from', { label })}
            value={values[0] ?? null}
            onChange={(next) => onChange([next, values[1] ?? null])}
          />
          <span aria-hidden="true">–</span>
          <OneValue
            {...rest}
            label={t('{label} to', { label })}
            value={values[1] ?? null}
            onChange={(next) => onChange([values[0] ?? null, next])}
          />
        </span>
      );
    case 'one':
      return <OneValue {...rest} value={values[0] ?? null} onChange={onChange} />;
  }
}

/** An input for one value of a field, outside a form. */
export function OneValue({
  field,
  label,
  doctype,
  value,
  onChange,
}: ValueProps & { readonly value: Scalar; readonly onChange: (value: Scalar) => void }) {
  const control: ControlProps = {
    // The control uses its field as accessible name.
    field: { ...field, label, reqd: false, description: '', link_filters: '' },
    value,
    onChange: (next) => onChange(typeof next === 'string' || typeof next === 'number' ? next : null),
    isReadOnly: false,
    isRequired: false,
    doctype,
    docname: null,
    valueOf: () => null,
    isInCell: true,
  };
  if (field.fieldname === 'docstatus' || field.fieldtype === 'Check') {
    const choices = field.fieldtype === 'Check' ? [t('No'), t('Yes')] : [0, 1, 2].map(docstatusWord);
    return (
      <Select
        aria-label={label}
        value={value === null || value === '' ? null : String(value)}
        onChange={(next) => onChange(next === null ? null : Number(next))}
        choices={choices.map((one, at) => ({ value: String(at), label: one }))}
      />
    );
  }
  if (field.fieldtype === 'Link') return <LinkControl {...control} />;
  if (field.fieldtype === 'Select')
    return (
      <Select
        aria-label={label}
        value={value === null || value === '' ? null : String(value)}
        onChange={(next) => onChange(next)}
        choices={[
          ...new Set([...choicesOf(field), ...(value === null || value === '' ? [] : [String(value)])]),
        ].map((one) => ({ value: one, label: one }))}
        isClearable
      />
    );
  if (['Date', 'Datetime', 'Time'].includes(field.fieldtype)) return <DateControl {...control} />;
  if (isNumber(field.fieldtype)) return <NumberControl {...control} />;
  return <TextInput aria-label={label} value={String(value ?? '')} onChange={onChange} />;
}

function numberOr(text: string): Scalar {
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : text;
}
