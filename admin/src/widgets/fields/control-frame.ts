import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import type { FieldProps } from '../inputs.tsx';

/** Props of a control: label, description and error in a form, only an accessible name in a grid cell. */
export function frameOf({
  field,
  isInCell,
  isRequired,
  error,
}: Pick<ControlProps, 'field' | 'isInCell' | 'isRequired' | 'error'>): FieldProps & {
  readonly 'aria-label'?: string;
} {
  const label = labelOf(field);
  if (isInCell) return { 'aria-label': label, error: error ? true : undefined };
  return {
    label,
    description: field.description === '' ? undefined : t(field.description),
    error,
    isRequired,
  };
}

/** A value as the text of an input. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
