import { type FieldType, refuse } from './fieldtype.ts';

/** Rows of a child doctype in its own table; the parent's table stores nothing. */
function tableType(name: string): FieldType {
  return {
    name,
    column: null,
    empty: () => null,
    ordered: false,
    textual: false,
    allowsUnique: false,
    coerce(value, field) {
      if (value !== null && value !== undefined && value !== '' && !Array.isArray(value)) {
        refuse(field, 'must be a list of rows');
      }
      return null;
    },
    coerceOperand: (_value, field) => refuse(field, 'is a table and cannot be compared'),
  };
}

export const TABLE_TYPES: readonly FieldType[] = ['Table', 'Table MultiSelect'].map(tableType);
