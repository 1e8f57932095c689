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

/** The key that finds the document of a record, in its stored form; null if the record makes a new document. */
export function documentKey({ doctype, mode, keyField }: SaveOptions, values: Fields): SqlValue {
  if (doctype.issingle) return doctype.name;
  return mode === 'Insert' ? null : storedIfValid(doctype, keyField, keyForm(values[keyField]));
}

/**
 * The names and unique values that a record states, as they are stored. Records that share one are about the same
 * document, or only one of them can be stored.
 */
export function identitiesOf(options: SaveOptions, values: Fields): readonly Identity[] {
  const { doctype, keyField } = options;
  const stored = (fieldname: string, value: unknown) => ({
    fieldname,
    value: storedIfValid(doctype, fieldname, value),
  });
  const document = documentKey(options, values);
  const unique = doctype.fields.filter(
    ({ unique: isUnique, fieldname }) => isUnique && (document === null || fieldname !== keyField),
  );
  return [
    { fieldname: keyField, value: document },
    ...['name', autonameField(doctype) ?? ''].map((from) => stored('name', keyForm(values[from]))),
    ...unique.map(({ fieldname }) => stored(fieldname, values[fieldname])),
  ].filter(({ value }) => value !== null);
}

/** A text that only equal identities share. */
export function identityKey({ fieldname, value }: Identity): string {
  return `${fieldname}\n${String(value)}`;
}

/** A name or the value of a unique field, as its column has it. @throws ServiceError */
export function storedKey(doctype: DocType, key: string, value: unknown): SqlValue {
  const field = doctype.fieldByName.get(key);
  return field ? fieldtypeOf(field).coerce(value, field) : nameKey(doctype, String(value));
}

/** The stored form of a value; null for an empty one, and for one that its field refuses. */
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

/** The stored form of a name. */
export function storedName(given: string): string {
  return given.trim().normalize('NFC');
}
