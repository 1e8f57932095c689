import type { Sql, Statement } from './sql.ts';

/**
 * How a value is stored. Text kinds compare by code point (byte order of UTF-8) on both engines.
 * date `YYYY-MM-DD`, datetime `YYYY-MM-DD HH:MM:SS.ffffff`, time `HH:MM:SS.ffffff`: the same text on both.
 */
export type ColumnKind = 'text' | 'integer' | 'real' | 'date' | 'datetime' | 'time';

export interface ColumnSpec {
  readonly name: string;
  readonly kind: ColumnKind;
  /** NOT NULL with this default; null means nullable without one. */
  readonly notNullDefault: number | string | null;
}

export interface IndexSpec {
  /** Unique over the database; starts with `_ix_`. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
}

export interface TableSpec {
  readonly name: string;
  readonly primaryKey: string;
  readonly columns: readonly ColumnSpec[];
  readonly indexes: readonly IndexSpec[];
}

/** What a table looks like now, as far as planning needs to know. */
export type ActualTable = TableSpec;

export type SchemaChange =
  | { readonly change: 'create_table'; readonly table: TableSpec }
  | { readonly change: 'add_column'; readonly table: string; readonly column: ColumnSpec }
  /** Only lossless conversions are ever planned: integer → real, anything → text. */
  | {
      readonly change: 'alter_column';
      readonly table: string;
      readonly from: ColumnSpec;
      readonly to: ColumnSpec;
    }
  /** Only ever on someone's express wish: the values are gone. No index may hold the column. */
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

/** What differs between the engines; everything else is portable SQL. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  hole(position: number): string;
  columnType(kind: ColumnKind): string;
  /** Case-insensitive for all of Unicode; `\` escapes `%`, `_` and `\`. Null never matches. */
  like(column: Sql, pattern: string): Sql;
  /** `column asc|desc` with nulls first ascending and last descending, as the wire promises. */
  orderBy(column: Sql, direction: 'asc' | 'desc', nullable: boolean): Sql;
  /** JSON text of an object: pairs of constant key and SQL value. `json`: the value is JSON text already. */
  jsonObject(pairs: readonly JsonPair[]): Sql;
  /**
   * JSON array text of a text column of JSON values (`json`) of a subquery, in the subquery's order; `[]`
   * when empty. Null when the values have more than `most` bytes; by default, more than a text may have at
   * all.
   */
  jsonArray(subquery: Sql, most?: number): Sql;
  /** A column as its stored text form; needed where the engine's own rendering differs (JSON, like on dates). */
  asText(column: Sql, kind: ColumnKind): Sql;
  /**
   * The sum of a column of numbers as a double, the same on both engines: whole numbers to the last digit that
   * a double has, others to 15 digits. Null without numbers and beyond 1.7e308; closer to 0 than 1e-290 is 0.
   */
  sum(column: Sql, kind: 'integer' | 'real'): Sql;
  /** A datetime column cut to whole seconds, as text. */
  wholeSeconds(column: Sql): Sql;
  changeSql(change: SchemaChange): readonly Statement[];
}
