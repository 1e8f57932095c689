import type { DocColumn, DocField, DocType } from './doctype.ts';
import { fieldtypeOf } from './fieldtypes/fieldtypes.ts';
import { isNumbered } from './numbered.ts';
import { CHILD_COLUMNS, NUMBERED_NAME, STANDARD_COLUMNS, sideColumnsOf } from './standard-fields.ts';

/** The properties of a doctype that follow from its fields and its kind. */
export function deriveFields(
  fields: readonly DocField[],
  kind: Pick<DocType, 'istable' | 'issingle' | 'is_virtual' | 'autoname'>,
): Pick<
  DocType,
  'fields' | 'fieldByName' | 'columns' | 'columnByName' | 'tables' | 'links' | 'dynamicLinks'
> {
  const columns = columnsOf(fields, kind);
  const stored = fields.filter((field) => kind.is_virtual || !field.is_virtual);
  const ofType = (...types: readonly string[]) =>
    Object.freeze(stored.filter((field) => types.includes(field.fieldtype)));
  return {
    fields: Object.freeze(fields),
    fieldByName: new Map(fields.map((field) => [field.fieldname, field])),
    columns,
    columnByName: new Map([...columns, ...sideColumnsOf(kind)].map((column) => [column.fieldname, column])),
    tables: ofType('Table', 'Table MultiSelect'),
    links: ofType('Link'),
    dynamicLinks: ofType('Dynamic Link'),
  };
}

function columnsOf(
  fields: readonly DocField[],
  kind: Pick<DocType, 'istable' | 'issingle' | 'is_virtual' | 'autoname'>,
): readonly DocColumn[] {
  const { istable, is_virtual } = kind;
  const columns = [...(istable ? CHILD_COLUMNS : STANDARD_COLUMNS)];
  if (isNumbered(kind)) columns[0] = NUMBERED_NAME;
  for (const field of fields) {
    const fieldtype = fieldtypeOf(field);
    const { column } = fieldtype;
    if (column === null || (field.is_virtual && !is_virtual)) continue;
    const empty = fieldtype.empty(field);
    columns.push(Object.freeze({ fieldname: field.fieldname, kind: column, empty, field }));
  }
  return Object.freeze(columns);
}
