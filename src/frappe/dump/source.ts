/** A value of a dump: text as the dump has it (numbers and dates too), bytes of a binary column, or null. */
export type Cell = string | Buffer | null;

export interface DumpColumn {
  readonly name: string;
  /** As declared, in lower case: `decimal(21,9)`, `timestamp(6) without time zone`. */
  readonly type: string;
}

export interface DumpTable {
  /** Without its schema: `tabCustomer`. */
  readonly name: string;
  readonly columns: readonly DumpColumn[];
}

/** One row, by the position of the column. It is valid only until the next one: take what is needed. */
export interface RowView {
  isNull(column: number): boolean;
  cell(column: number): Cell;
  /** A number of 53 bits that equal texts share; `seed` tells kinds of texts apart. */
  hash(column: number, seed: number): number;
}

export type RowHandler = (row: RowView) => void;

/** What a reader of a dump wants to know. */
export interface DumpVisitor {
  /** A line of comment, without its dashes. The first ones are Frappe's and the dump program's. */
  comment?(text: string): void;
  /** A table, before its rows. The result takes the rows; null leaves them out, uncounted and unread. */
  table(table: DumpTable): RowHandler | null;
}

/** The database that a dump comes from. */
export type Engine = 'mariadb' | 'postgres' | 'sqlite';
