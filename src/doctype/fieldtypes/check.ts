import type { FieldValue } from '../../kernel/value.ts';
import type { DocField } from '../doctype.ts';
import { type FieldType, quote, refuse, refuseCompound } from './fieldtype.ts';

function flagOf(value: unknown, field: DocField): FieldValue {
  refuseCompound(value, field);
  switch (typeof value === 'string' ? value.trim().toLowerCase() : value) {
    case null:
    case undefined:
    case '':
    case 0:
    case false:
    case '0':
    case 'false':
      return 0;
    case 1:
    case true:
    case '1':
    case 'true':
      return 1;
    default:
      return refuse(field, `must be 0 or 1, not ${quote(value)}`);
  }
}

/** 0 or 1; true, false and the texts of all four are accepted. */
const check: FieldType = {
  name: 'Check',
  column: 'integer',
  empty: () => 0,
  ordered: true,
  textual: false,
  allowsUnique: false,
  coerce: flagOf,
  coerceOperand: flagOf,
};

export const CHECK_TYPES: readonly FieldType[] = [check];
