import { contended } from '../../db/contended.ts';
import type { Connection, Counter } from '../../db/database.ts';
import type { Dialect } from '../../db/dialect.ts';
import { ident, render, sql } from '../../db/sql.ts';
import { integer, table, text } from '../../db/table-spec.ts';
import type { DocType, Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { memo } from '../../kernel/memo.ts';
import { timestamp } from '../context.ts';
import type { Context } from '../contract.ts';
import { scalarOf } from '../document.ts';

/** The last number of each series. */
export const SERIES_TABLE = table('_series', [text('key'), integer('current')]);

const DATE_PARTS = ['YYYY', 'YY', 'MM', 'DD', 'WW', 'timestamp'] as const;
type DatePart = (typeof DATE_PARTS)[number];

/** A piece of a name pattern. */
export type NamePart =
  | { readonly literal: string }
  | { readonly date: DatePart }
  | { readonly field: string }
  | { readonly digits: number };

/** Allowed characters of a series. */
const SERIES_FORM = /^[\w\- /.#{}]+$/;
const DEFAULT_COUNTER = '.#####';

/**
 * Parses `INV-.YYYY.-.#####`: parts between dots are date words, fieldnames (bare or in braces), a counter,
 * or text. Without a counter, five digits are appended. Only the first counter is used.
 * @throws ServiceError InvalidNamingSeriesError for other characters, or a counter without a dot before it
 */
export function parseSeries(series: string, doctype: DocType): NamePart[] {
  if (!isSeries(series)) {
    throw new ServiceError('InvalidNamingSeriesError', `Invalid naming series ${series}`);
  }
  return parseWords(counted(series), doctype);
}

/** True for text that `parseSeries` accepts. */
export function isSeries(series: string): boolean {
  const expression = counted(series);
  return SERIES_FORM.test(expression) && expression.includes('.');
}

function counted(series: string): string {
  return series.includes('#') ? series : series + DEFAULT_COUNTER;
}

/**
 * Parses the prefix of a Document Naming Rule, which has a separate counter: `INV-.YYYY.-`.
 * @throws ServiceError ValidationError for other characters, or a counter
 */
export function parsePrefix(prefix: string, doctype: DocType): NamePart[] {
  if (!SERIES_FORM.test(prefix) || prefix.includes('#')) {
    throw new ServiceError('ValidationError', `Invalid prefix ${prefix}`);
  }
  return parseWords(prefix, doctype);
}

function parseWords(expression: string, doctype: DocType): NamePart[] {
  const parts: NamePart[] = [];
  for (const word of expression.split('.')) {
    if (word === '') continue;
    if (word.startsWith('#')) pushCounter(parts, word.length);
    else parts.push(wordPart(word.replace(/^\{(.*)\}$/, '$1'), word, doctype));
  }
  return parts;
}

/**
 * Parses `format:INV-{YYYY}-{customer}-{####}`, given without `format:`. Text outside braces stays unchanged.
 */
export function parseFormat(format: string, doctype: DocType): NamePart[] {
  const parts: NamePart[] = [];
  for (const [index, piece] of format.split(/\{([^{}]*)\}/).entries()) {
    const inBraces = index % 2 === 1;
    if (inBraces && /^#+$/.test(piece)) pushCounter(parts, piece.length);
    else if (inBraces) parts.push(wordPart(piece, `{${piece}}`, doctype));
    else if (piece !== '') parts.push({ literal: piece });
  }
  return parts;
}

function pushCounter(parts: NamePart[], digits: number): void {
  if (!parts.some((part) => 'digits' in part)) parts.push({ digits });
}

function wordPart(word: string, otherwise: string, doctype: DocType): NamePart {
  const date = DATE_PARTS.find((name) => name === word);
  if (date) return { date };
  return doctype.columnByName.has(word) ? { field: word } : { literal: otherwise };
}

/** Renders the name; takes the next number of the counter whose key is the text before it. */
export async function renderName(ctx: Context, doc: Document, parts: readonly NamePart[]): Promise<string> {
  let now: string | null = null;
  let name = '';
  for (const part of parts) {
    if ('literal' in part) name += part.literal;
    else if ('date' in part) {
      now ??= timestamp(ctx.site);
      name += datePart(part.date, now);
    } else if ('field' in part) name += String(scalarOf(doc, part.field) ?? '').trim();
    else name += String(await nextNumber(ctx.db, name)).padStart(part.digits, '0');
  }
  return name;
}

/** The next number of a counter. The row stays locked until the transaction ends, so numbers have no gaps. */
export async function nextNumber(connection: Connection, key: string): Promise<number> {
  const counter = counterOf(connection.dialect, key);
  if (connection.count) return connection.count(counter);
  const row = await connection.get(counter.add(1));
  return Number(row?.['current']);
}

function counterOf(dialect: Dialect, key: string): Counter {
  const { text, values } = countStatement(dialect);
  const others = values.slice(2);
  return { turn: turnOf(key), add: (count) => ({ text, values: [key, count, ...others] }) };
}

const countStatement = memo((dialect: Dialect) =>
  render(
    sql`insert into "_series" ("key", "current") values (${null}, ${null})
        on conflict ("key") do update set "current" = "_series"."current" + excluded."current"
        returning "current", ${contended(dialect)}`,
    dialect.hole,
  ),
);

function turnOf(key: string): string {
  return `series ${key}`;
}

/** The key of the counter of an `autoincrement` doctype. */
export function numberKey(doctype: DocType): string {
  return `autoincrement ${doctype.name}`;
}

/** Moves the counter of an `autoincrement` doctype on to its greatest name. */
export async function countOn(connection: Connection, doctype: DocType): Promise<void> {
  await connection.giveBack?.(turnOf(numberKey(doctype)));
  await connection.run(
    sql`insert into "_series" ("key", "current")
        select ${numberKey(doctype)}, max("name") from ${ident(doctype.name)} having max("name") > 0
        on conflict ("key") do update set "current" = excluded."current"
          where excluded."current" > "_series"."current"`,
  );
}

/** Moves a counter on to a number, if that is higher. */
export async function raiseCounter(connection: Connection, key: string, number: number): Promise<void> {
  await connection.giveBack?.(turnOf(key));
  await connection.run(
    sql`insert into "_series" ("key", "current") values (${key}, ${number}) on conflict ("key") do update
        set "current" = excluded."current" where excluded."current" > "_series"."current"`,
  );
}

/**
 * Returns a number when the document with the counter's last one is deleted, so that the next document gets
 * it. Finds the counter from the name itself: dates and fields may have changed since.
 */
export async function revertSeries(
  connection: Connection,
  doc: Document,
  parts: readonly NamePart[],
): Promise<void> {
  if (!parts.some((part) => 'digits' in part)) return;
  const match = namePattern(parts, doc).exec(doc.name);
  if (!match) return;
  const key = match[1] ?? '';
  await connection.giveBack?.(turnOf(key));
  await connection.run(
    sql`update "_series" set "current" = "current" - 1 where "key" = ${key} and "current" = ${Number(match[2])}`,
  );
}

/** A pattern for names made of these parts: the text before the counter, and the number. */
export function namePattern(parts: readonly NamePart[], doc: Document): RegExp {
  const counter = parts.findIndex((part) => 'digits' in part);
  const patterns = parts.map((part) => patternOf(part, doc));
  const key = patterns.slice(0, counter).join('');
  const rest = patterns.slice(counter + 1).join('');
  return new RegExp(`^(${key})(${patterns[counter]})${rest}$`, 'su');
}

/** A regular expression for the rendered text of a part. */
function patternOf(part: NamePart, doc: Document): string {
  if ('literal' in part) return RegExp.escape(part.literal);
  if ('field' in part) return RegExp.escape(String(scalarOf(doc, part.field) ?? '').trim());
  if ('date' in part) return part.date === 'YYYY' ? '\\d{4}' : part.date === 'timestamp' ? '.{26}' : '\\d\\d';
  return `\\d{${part.digits},15}`;
}

function datePart(part: DatePart, now: string): string {
  switch (part) {
    case 'YYYY':
      return now.slice(0, 4);
    case 'YY':
      return now.slice(2, 4);
    case 'MM':
      return now.slice(5, 7);
    case 'DD':
      return now.slice(8, 10);
    case 'WW':
      return weekOfYear(now.slice(0, 10));
    case 'timestamp':
      return now;
  }
}

/** The ISO week, but within the same year: 00 for days before week 1, 53 for days after the last week. */
export function weekOfYear(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  const month = day.getUTCMonth();
  // The Thursday of a week decides its year.
  const thursday = new Date(day.getTime() + (3 - ((day.getUTCDay() + 6) % 7)) * 86_400_000);
  const firstDay = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = 1 + Math.floor((thursday.getTime() - firstDay) / (7 * 86_400_000));
  if (month === 0 && week >= 52) return '00';
  if (month === 11 && week === 1) return '53';
  return String(week).padStart(2, '0');
}
