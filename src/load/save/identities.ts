import type { SqlValue } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { nameKey } from '../../doctype/numbered.ts';
import { autonameField } from '../../document/naming/naming.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { SaveOptions } from './save-options.ts';

/** A name, or the value of a unique field: one document has it at most. */
export interface Identity {
  /** `name`, or the unique field. */
  readonly fieldname: string;
  readonly value: SqlValue;
}

/**
 * The names and unique values that a record states, as they are stored. Records that share one are about the same
 * document, or only the first of them can be stored.
 */
export function identitiesOf({ doctype, mode, keyField }: SaveOptions, values: Fields): readonly Identity[] {
  if (doctype.issingle) return [{ fieldname: 'name', value: doctype.name }];
  const unique = doctype.fields.filter((field) => field.unique).map(({ fieldname }) => fieldname);
  const stated = ['name', ...unique].map((fieldname) => {
    const isKey = fieldname === 'name' || (mode !== 'Insert' && fieldname === keyField);
    return { fieldname, given: isKey ? keyForm(values[fieldname]) : values[fieldname] };
  });
  const namedBy = autonameField(doctype);
  if (namedBy !== null) stated.push({ fieldname: 'name', given: values[namedBy] });
  return stated.flatMap(({ fieldname, given }) => {
    const value = storedIfValid(doctype, fieldname, given);
    return value === null ? [] : [{ fieldname, value }];
  });
}

/** A name or the value of a unique field, as its column has it. @throws ServiceError */
export function storedKey(doctype: DocType, key: string, value: unknown): SqlValue {
  const field = doctype.fieldByName.get(key);
  return field ? fieldtypeOf(field).coerce(value, field) : nameKey(doctype, String(value));
}

/** Null also for a value that no document can have. */
function storedIfValid(doctype: DocType, key: string, value: unknown): SqlValue {
  if (value === null || value === undefined || value === '') return null;
  try {
    return storedKey(doctype, key, value);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

/** The form of a key in which people mean it: without spaces around it, and composed. */
export function keyForm(key: unknown): unknown {
  return typeof key === 'string' ? storedName(key) : key;
}

export function storedName(given: string): string {
  return given.trim().normalize('NFC');
}
