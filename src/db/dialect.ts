import type { Sql, Statement } from './sql.ts';

/**
 * How a value is stored. Both engines compare text kinds by code point (byte order of UTF-8) and store the
 * same text: date `YYYY-MM-DD`, datetime `YYYY-MM-DD HH:MM:SS.ffffff`, time `HH:MM:SS.ffffff`.
 */
export type ColumnKind = 'text' | 'integer' | 'real' | 'date' | 'datetime' | 'time';

/** Periods that dates are grouped by. Weeks start on Sunday. */
export type Period = 'day' | 'week' | 'month' | 'quarter' | 'year';

export interface ColumnSpec {
  readonly name: string;
  readonly kind: ColumnKind;
  /** NOT NULL with this default; null means nullable without a default. */
  readonly notNullDefault: number | string | null;
}

export interface IndexSpec {
  /** Unique in the database; starts with `_ix_`. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** For `like` on its only column, by trigrams. PostgreSQL only. */
  readonly like?: true;
}

export interface TableSpec {
  readonly name: string;
  readonly primaryKey: string;
  readonly columns: readonly ColumnSpec[];
  readonly indexes: readonly IndexSpec[];
}

/** The current state of a table, as far as the planner needs it. */
export interface ActualTable extends TableSpec {
  /**
   * Names of indexes that PostgreSQL does not read, because their build has not ended: it runs, or it was
   * interrupted. `indexes` does not contain them.
   */
  readonly unfinished?: readonly string[];
}

export type SchemaChange =
  | { readonly change: 'create_table'; readonly table: TableSpec }
  | { readonly change: 'add_column'; readonly table: string; readonly column: ColumnSpec }
  /**
   * Only lossless conversions are planned: integer → real, anything → text, and another form of unset, in
   * which stored nulls become `notNullDefault`. A key may also become an integer: see `checkNames`.
   */
  | {
      readonly change: 'alter_column';
      readonly table: string;
      readonly from: ColumnSpec;
      readonly to: ColumnSpec;
    }
  /** Planned only on explicit request, because the values are lost. No index may contain the column. */
  | { readonly change: 'drop_column'; readonly table: string; readonly column: string }
  | {
      readonly change: 'rename_column';
      readonly table: string;
      readonly column: string;
      readonly to: string;
    }
  | { readonly change: 'create_index'; readonly table: string; readonly index: IndexSpec }
  | { readonly change: 'drop_index'; readonly table: string; readonly index: string }
  | { readonly change: 'drop_table'; readonly table: string };

export interface JsonPair {
  readonly key: string;
  readonly value: Sql;
  readonly json?: boolean;
}

/** The differences between the engines; all other SQL is portable. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** The schema of all tables; null on SQLite. */
  readonly schema: string | null;
  hole(position: number): string;
  columnType(kind: ColumnKind): string;
  /**
   * Case-insensitive for all of Unicode; `\` escapes `%`, `_` and `\`. Null never matches. `isIndexed`: a column
   * of short texts with an index for `like`; the result is the same.
   */
  like(column: Sql, pattern: string, isIndexed?: boolean): Sql;
  /** `column asc|desc`, with nulls first ascending and last descending, as the protocol promises. */
  orderBy(column: Sql, direction: 'asc' | 'desc', nullable: boolean): Sql;
  /**
   * The JSON text of an object with constant keys and SQL values. `json` marks a value that is JSON text
   * already.
   */
  jsonObject(pairs: readonly JsonPair[]): Sql;
  /** The JSON text of an array of SQL values: shorter than an object, and quicker to make and to parse. */
  jsonList(values: readonly Sql[]): Sql;
  /**
   * The JSON array of a subquery's text column of JSON values (`json`), in the subquery's order; `[]` when
   * empty. Null when the values exceed `most` bytes; default: the longest possible text. Null, too, unless
   * there are `exactly` so many rows.
   */
  jsonArray(subquery: Sql, most?: number, exactly?: number | null): Sql;
  /** A column as its stored text. Use it where the engine's own format differs (JSON, `like` on dates). */
  asText(column: Sql, kind: ColumnKind): Sql;
  /**
   * The sum of a column of numbers as a double, equal on both engines: whole numbers to the last digit of a
   * double, others to 15 digits. Null without numbers and beyond 1.7e308; a sum closer to 0 than 1e-290 is 0.
   */
  sum(column: Sql, kind: 'integer' | 'real'): Sql;
  /** A datetime column truncated to whole seconds, as text. */
  wholeSeconds(column: Sql): Sql;
  /** The first day of the period that a date or datetime is in: a date in the engine's own form. */
  firstDay(column: Sql, period: Period, kind: ColumnKind): Sql;
  changeSql(change: SchemaChange): readonly Statement[];
  /** Gives the key of a table without indexes another kind, which fits every value. */
  keySql(table: ActualTable, to: ColumnSpec): readonly Statement[];
}
