import type { Dialect } from '../db/dialect.ts';
import { type Sql, type SqlValue, sql } from '../db/sql.ts';
import type { DocType, DoctypeRegistry } from './doctype.ts';

/**
 * True when the names of the documents are whole numbers, as in Frappe: in the table and on the wire. Code,
 * addresses, Links and the `parent` of child rows have their decimal text.
 */
export function isNumbered({
  autoname,
  istable,
  issingle,
  is_virtual,
}: Pick<DocType, 'autoname' | 'istable' | 'issingle' | 'is_virtual'>): boolean {
  return autoname.toLowerCase() === 'autoincrement' && !istable && !issingle && !is_virtual;
}

/** True for the decimal text of a numbered name: from 1 to 2^53 - 1, without signs or leading zeros. */
export function isNumber(name: string): boolean {
  return /^[1-9]\d{0,15}$/.test(name) && Number.isSafeInteger(Number(name));
}

/** A name as its column stores it. Null, which equals nothing, for a text that cannot name a document. */
export function nameKey(doctype: DocType, name: string): SqlValue {
  if (!isNumbered(doctype)) return name;
  return isNumber(name) ? Number(name) : null;
}

/** A name on the wire. */
export function wireName(doctype: DocType, name: string): string | number {
  return isNumbered(doctype) && isNumber(name) ? Number(name) : name;
}

/** The same for a doctype by its name, which may be gone. */
export function nameIn(registry: DoctypeRegistry, doctypeName: string, name: string): string | number {
  const doctype = registry.find(doctypeName);
  return doctype ? wireName(doctype, name) : name;
}

/** The JSON Schema of `wireName`. */
export const NAME_SCHEMA = { type: ['string', 'integer'] } as const;

/** The name column as text, for comparisons with a Link, `parent` and the like. */
export function nameText(doctype: DocType, column: Sql = NAME): Sql {
  return isNumbered(doctype) ? sql`cast(${column} as text)` : column;
}

const NAME = sql`"name"`;

/** The name in a text column, for comparisons with the name column by its index. See `nameKey`. */
export function nameInText(doctype: DocType, text: Sql, dialect: Dialect): Sql {
  if (!isNumbered(doctype)) return text;
  const [pattern, type] =
    dialect.name === 'postgres'
      ? [sql`${text} ~ '^[1-9][0-9]{0,15}$'`, sql`bigint`]
      : [sql`${text} = cast(cast(${text} as integer) as text)`, sql`integer`];
  return sql`case when ${pattern} then cast(${text} as ${type}) end`;
}
