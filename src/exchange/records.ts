import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type Fields, isRecord } from '../kernel/value.ts';
import { convertCell } from './convert-cell.ts';
import { isEmpty, type Line } from './line.ts';
import type { Locale } from './locale.ts';
import type { MatchedColumn } from './match-columns.ts';
import { momentText } from './moment-text.ts';
import type { Item } from './read-json.ts';

/** A value of a file that its field does not take. */
export interface BadCell {
  /** The number of its row in the file. */
  readonly row: number;
  /** The head of its column; '' for the row as a whole. */
  readonly column: string;
  /** The key of the field; '' for the row as a whole. */
  readonly field: string;
  /** The begin of the value. */
  readonly value: string;
  readonly reason: string;
}

/** One document of a file, in the form of the API. */
export interface ImportRecord {
  /** The number of its first row. */
  readonly row: number;
  readonly values: Fields;
  /** For each table, the file's number of each of its rows. */
  readonly places: ReadonlyMap<string, readonly number[]>;
  /** Cells that no field takes; `values` lacks them. */
  readonly bad: readonly BadCell[];
}

/**
 * The documents of a file of rows. A row that fills only fields of child tables belongs to the document above; so does
 * a row that repeats the name of that document, or the value of `keyField`.
 */
export async function* recordsOfLines(
  lines: AsyncIterable<Line>,
  columns: readonly MatchedColumn[],
  locale: Locale,
  keyField = 'name',
): AsyncGenerator<ImportRecord> {
  const own = columns.flatMap((column, at) => (column.target?.table === null ? [{ column, at }] : []));
  const rows = columns.flatMap((column, at) => (column.target?.table ? [{ column, at }] : []));
  const keys = own.filter(({ column }) => [keyField, 'name'].includes(column.target?.key ?? ''));
  let draft: Draft | null = null;
  for await (const line of lines) {
    if (line.cells.every(isEmpty)) continue;
    const has = ({ at }: { readonly at: number }) => !isEmpty(line.cells[at]);
    const hasRows = rows.some(has);
    const above = draft?.line;
    const repeats = keys.some((one) => has(one) && above && line.cells[one.at] === above.cells[one.at]);
    if (!draft || !rows.length || !(hasRows && (repeats || !own.some(has)))) {
      if (draft) yield draft.done();
      draft = new Draft(line, line.number, locale);
      if (own.some(has)) for (const { column, at } of own) draft.set(column, line.cells[at], line.number);
      else if (hasRows) draft.refuse('There is no document above that this row belongs to');
      else draft.refuse('No column that is imported has a value');
      for (const { column } of rows) draft.table(column.target?.table ?? '');
    }
    if (hasRows) draft.addRow(rows, line);
  }
  if (draft) yield draft.done();
}

/** The documents of a file of objects. `match` finds the target of a key, also one that the sample did not have. */
export async function* recordsOfItems(
  items: AsyncIterable<Item>,
  match: (key: string) => MatchedColumn,
  locale: Locale,
): AsyncGenerator<ImportRecord> {
  for await (const { number, fields } of items) {
    const draft = new Draft(null, number, locale);
    for (const [key, value] of Object.entries(fields)) {
      if (!Array.isArray(value) || value.length === 0 || !value.every(isRecord)) {
        const column = match(key);
        if (column.target) draft.set(column, value, number);
        continue;
      }
      for (const row of value) draft.addItem(key, row, match, number);
    }
    yield draft.done();
  }
}

/** A document while its rows are read. */
class Draft {
  readonly line: Line | null;
  readonly #row: number;
  readonly #locale: Locale;
  readonly #values: Record<string, unknown> = {};
  readonly #tables = new Map<string, Record<string, unknown>[]>();
  readonly #places = new Map<string, number[]>();
  readonly #bad: BadCell[] = [];
  #length = 0;

  constructor(line: Line | null, row: number, locale: Locale) {
    this.line = line;
    this.#row = row;
    this.#locale = locale;
  }

  done(): ImportRecord {
    const values = { ...this.#values, ...Object.fromEntries(this.#tables) };
    return { row: this.#row, values, places: this.#places, bad: this.#bad };
  }

  refuse(reason: string): void {
    this.#bad.push({ row: this.#row, column: '', field: '', value: '', reason });
  }

  /** The rows of a table, which is empty unless rows follow. */
  table(fieldname: string): Record<string, unknown>[] {
    const rows = this.#tables.get(fieldname) ?? [];
    this.#tables.set(fieldname, rows);
    return rows;
  }

  set(column: MatchedColumn, cell: unknown, row: number): void {
    this.#put(this.#values, column, cell, row);
  }

  addRow(columns: readonly { readonly column: MatchedColumn; readonly at: number }[], line: Line): void {
    const filled = new Set(
      columns.flatMap(({ column, at }) => (isEmpty(line.cells[at]) ? [] : [column.target?.table ?? ''])),
    );
    for (const fieldname of filled) {
      const values = this.#newRow(fieldname, line.number);
      for (const { column, at } of columns)
        if (column.target?.table === fieldname) this.#put(values, column, line.cells[at], line.number);
    }
  }

  addItem(key: string, row: Fields, match: (key: string) => MatchedColumn, number: number): void {
    const cells = Object.entries(row).map(([name, cell]) => ({ column: match(`${key}.${name}`), cell }));
    const fieldname = cells.find(({ column }) => column.target?.table)?.column.target?.table;
    if (!fieldname) return;
    const values = this.#newRow(fieldname, number);
    for (const { column, cell } of cells)
      if (column.target?.table === fieldname) this.#put(values, column, cell, number);
  }

  #newRow(fieldname: string, number: number): Record<string, unknown> {
    const rows = this.table(fieldname);
    if (rows.length >= LIMITS.childRows) {
      const most = LIMITS.childRows;
      throw new ServiceError(
        'ValidationError',
        `The document of row ${this.#row} has more than ${most} rows`,
      );
    }
    const values = {};
    rows.push(values);
    const places = this.#places.get(fieldname) ?? [];
    places.push(number);
    this.#places.set(fieldname, places);
    return values;
  }

  #put(values: Record<string, unknown>, column: MatchedColumn, cell: unknown, row: number): void {
    const { target, head } = column;
    if (!target) return;
    if (typeof cell === 'string') this.#length += cell.length;
    if (this.#length > LIMITS.documentLength) {
      const most = LIMITS.documentLength;
      throw new ServiceError(
        'ValidationError',
        `The document of row ${this.#row} is longer than ${most} characters`,
      );
    }
    try {
      values[target.fieldname] = target.field
        ? convertCell(cell, target.field, this.#locale)
        : standardValue(target.fieldname, cell);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const value = excerptOf(cell);
      this.#bad.push({ row, column: head, field: target.key, value, reason: error.message });
    }
  }
}

function standardValue(fieldname: string, cell: unknown): unknown {
  if (isEmpty(cell)) return null;
  if (fieldname !== 'docstatus') return typeof cell === 'string' ? cell.trim() : cell;
  const status = typeof cell === 'string' ? (STATUSES.get(cell.trim().toLowerCase()) ?? Number(cell)) : cell;
  if (status === 0 || status === 1 || status === 2) return status;
  throw new ServiceError('ValidationError', 'Document Status must be 0, 1 or 2');
}

const STATUSES: ReadonlyMap<string, number> = new Map([
  ['draft', 0],
  ['submitted', 1],
  ['cancelled', 2],
]);

/** The begin of a value, for a report. */
export function excerptOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text =
    value instanceof Date
      ? momentText(value)
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
  return text.length > LIMITS.importExcerpt ? `${text.slice(0, LIMITS.importExcerpt)}…` : text;
}
