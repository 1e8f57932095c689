import type { Values } from '../../../form/doc-values.ts';
import { isLayout } from '../../../meta/fieldtypes.ts';
import type { Field } from '../../../meta/meta.ts';

/** A row of a Print Format, as far as it is shown. */
export interface Part {
  readonly type: string;
  readonly fieldname: string;
  readonly label: string;
  /** Of a table: fieldnames, separated by commas. */
  readonly columns: string;
  readonly content: string;
}

/** The texts of a row. */
export function partOf(row: Values | undefined): Part {
  const text = (fieldname: string) => String(row?.[fieldname] ?? '');
  return {
    type: text('type') || 'Field',
    fieldname: text('fieldname'),
    label: text('label'),
    columns: text('columns'),
    content: text('content'),
  };
}

/** The fields that a page can show. */
export function printable(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ fieldtype }) => fieldtype === 'Image' || !isLayout(fieldtype)).filter(isOpen);
}

function isOpen({ fieldtype }: Field): boolean {
  return fieldtype !== 'Password';
}

/** The sections, columns and visible fields of a form as the rows of a Print Format. */
export function partsOfForm(fields: readonly Field[]): readonly Values[] {
  const shown = new Set(printable(fields));
  return fields.flatMap((field): readonly Values[] => {
    // The pattern of the name says nothing beside the name.
    if (field.hidden || field.fieldname === 'naming_series') return [];
    if (field.fieldtype === 'Section Break' || field.fieldtype === 'Tab Break')
      return [{ type: 'Section', label: field.label }];
    if (field.fieldtype === 'Column Break') return [{ type: 'Column' }];
    return shown.has(field) ? [{ type: 'Field', fieldname: field.fieldname }] : [];
  });
}

/** The fieldnames in a text with commas between them. */
export function columnsIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
