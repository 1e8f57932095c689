import type { DumpColumn } from './source.ts';
import type { Quoting } from './text-row.ts';

const NAME = '(?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|[\\w$]+)';
const CREATE = new RegExp(`^CREATE TABLE (?:IF NOT EXISTS )?(?:${NAME}\\.)?(${NAME}) \\($`, 'i');
const INSERT = new RegExp(`^(?:INSERT|REPLACE) (?:IGNORE )?INTO (?:${NAME}\\.)?(${NAME})\\s*`, 'i');
const COPY = new RegExp(`^COPY (?:${NAME}\\.)?(${NAME}) \\((.*)\\) FROM stdin;$`, 'i');
const COLUMN = new RegExp(`^\\s+(${NAME}) (.+?),?\\r?$`);

/** The table of `CREATE TABLE name (`; null for another line. */
export function createdTable(line: string): string | null {
  const name = CREATE.exec(line)?.[1];
  return name === undefined ? null : unquote(name);
}

// Capitals only: pg_dump writes a column called key or index without quotes.
const CONSTRAINTS = /^\s+(?:PRIMARY|UNIQUE|KEY|INDEX|CONSTRAINT|FULLTEXT|SPATIAL|CHECK|FOREIGN|EXCLUDE)\b/;

/** The column of a line of CREATE TABLE; null for keys and constraints. */
export function createdColumn(line: string): DumpColumn | null {
  if (CONSTRAINTS.test(line)) return null;
  const [, name, rest = ''] = COLUMN.exec(line) ?? [];
  if (name === undefined) return null;
  return { name: unquote(name), type: typeOf(rest) };
}

/** `INSERT INTO name (columns) VALUES`: the table, its columns when listed, and where the rows begin. */
export interface InsertHead {
  readonly table: string;
  readonly columns: readonly string[] | null;
  readonly length: number;
}

/** Null for another statement, and for one whose head is not complete. `head` is the text of its beginning. */
export function insertHead(head: string): InsertHead | null {
  const [text, name] = INSERT.exec(head) ?? [];
  if (text === undefined || name === undefined) return null;
  const rest = head.slice(text.length);
  const [listed = '', list] = /^\(([^()]*)\)\s*/.exec(rest) ?? [];
  const values = /^(?:OVERRIDING SYSTEM VALUE\s+)?VALUES\s*/i.exec(rest.slice(listed.length));
  if (!values) return null;
  return {
    table: unquote(name),
    columns: list === undefined ? null : columnList(list),
    length: text.length + listed.length + values[0].length,
  };
}

/** The table and the columns of `COPY name (columns) FROM stdin;`. */
export function copyHead(
  line: string,
): { readonly table: string; readonly columns: readonly string[] } | null {
  const [, name, list = ''] = COPY.exec(line) ?? [];
  return name === undefined ? null : { table: unquote(name), columns: columnList(list) };
}

const DELIMITER = /^DELIMITER (?!;$)/i;
const DOLLARS = /^\s+AS (\$\w*\$)/;

/**
 * The end of the body of a trigger, function or procedure that begins on a line, and what follows its beginning there;
 * null for another line. `mariadb-dump` sets another delimiter around a body, `pg_dump` writes it between two tags
 * in dollars that it does not contain.
 */
export function bodyEnd(
  line: string,
  quoting: Quoting,
): { readonly end: string; readonly rest: string } | null {
  if (quoting === 'mysql') return DELIMITER.test(line) ? { end: 'DELIMITER ;', rest: '' } : null;
  const [begun = '', tag] = DOLLARS.exec(line) ?? [];
  return tag === undefined ? null : { end: `${tag};`, rest: line.slice(begun.length) };
}

/** Around a text, or around a name. */
export type Quote = "'" | '"';

/**
 * The quote that is open at the end of a line of standard SQL, such as in a COMMENT ON of several lines; null for none.
 * `open` is the one at its beginning. Doubled quotes close and open again.
 */
export function quoteAfter(line: string, open: Quote | null): Quote | null {
  let quote = open;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote !== null) quote = character === quote ? null : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (line.startsWith('--', at)) break;
  }
  return quote;
}

function columnList(list: string): string[] {
  return [...list.matchAll(new RegExp(NAME, 'g'))].map(([name]) => unquote(name));
}

function unquote(name: string): string {
  const quote = name.charAt(0);
  return quote === '`' || quote === '"' ? name.slice(1, -1).replaceAll(quote + quote, quote) : name;
}

function typeOf(rest: string): string {
  const [type = ''] =
    /^[a-z]+(?: varying| precision)?(?:\([^)]*\))?(?: with(?:out)? time zone)?/i.exec(rest) ?? [];
  return type.toLowerCase();
}
