import type { DocField } from '../doctype.ts';
import { ATTACH_TYPES } from './attach.ts';
import { CHECK_TYPES } from './check.ts';
import { DATE_TYPES } from './date.ts';
import type { FieldType } from './fieldtype.ts';
import { JSON_TYPES } from './json.ts';
import { LAYOUT_TYPES } from './layout.ts';
import { LINK_TYPES } from './link.ts';
import { NUMBER_TYPES } from './number.ts';
import { PASSWORD_TYPES } from './password.ts';
import { SELECT_TYPES } from './select.ts';
import { TABLE_TYPES } from './table.ts';
import { TEXT_TYPES } from './text.ts';

/** All 43 fieldtypes by name. */
export const FIELDTYPES: ReadonlyMap<string, FieldType> = new Map(
  [
    ...TEXT_TYPES,
    ...NUMBER_TYPES,
    ...CHECK_TYPES,
    ...DATE_TYPES,
    ...SELECT_TYPES,
    ...LINK_TYPES,
    ...TABLE_TYPES,
    ...PASSWORD_TYPES,
    ...JSON_TYPES,
    ...ATTACH_TYPES,
    ...LAYOUT_TYPES,
  ].map((fieldtype) => [fieldtype.name, fieldtype]),
);

/** The fieldtype of a parsed field; the parser has checked that it exists. */
export function fieldtypeOf(field: DocField): FieldType {
  const fieldtype = FIELDTYPES.get(field.fieldtype);
  if (!fieldtype) throw new Error(`unknown fieldtype ${field.fieldtype}`);
  return fieldtype;
}
