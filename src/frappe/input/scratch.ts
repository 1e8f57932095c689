import { rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Cell, DumpTable, RowHandler } from '../dump/source.ts';
import { quoted, tablesOf } from './sqlite-file.ts';

/** An open file keeps its name there. */
const KEEPS_NAME = process.platform === 'win32';

/** A row of the scratch database: unset columns are null. */
export type ScratchRow = Readonly<Record<string, Cell>>;

/**
 * The tables of a source in a file of their own, so that rows of a parent can be found, and links compared with names,
 * in any order and in little memory. The file can be made again from the source, and holds hashes of passwords:
 * it loses its name at once, so that it goes with the process, also when that is killed.
 */
export class Scratch {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #tables: ReadonlyMap<string, DumpTable> = new Map();
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    rmSync(path, { force: true });
    writeFileSync(path, '', { mode: 0o600, flag: 'wx' });
    // Otherwise SQLite keeps its journal, which needs the name of the file.
    this.#database = new DatabaseSync(path, { defensive: false });
    this.#database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -8000');
    this.#readTables();
    if (!KEEPS_NAME) rmSync(path);
  }

  get tables(): ReadonlyMap<string, DumpTable> {
    return this.#tables;
  }

  /** Makes a table; the result inserts rows. Call `staged` after the last row. */
  add(table: DumpTable): RowHandler {
    const columns = table.columns.map(({ name }) => quoted(name)).join(', ');
    this.#database.exec(`create table ${quoted(table.name)} (${columns})`);
    const places = table.columns.map(() => '?').join(', ');
    const insert = this.#database.prepare(`insert into ${quoted(table.name)} values (${places})`);
    const values = new Array<Cell>(table.columns.length);
    return (row) => {
      for (let at = 0; at < values.length; at += 1) values[at] = row.cell(at);
      insert.run(...values);
    };
  }

  begin(): void {
    this.#database.exec('begin');
  }

  staged(): void {
    this.#database.exec('commit');
    this.#readTables();
  }

  /** Declares a function of one text for statements. */
  define(name: string, of: (text: string) => string): void {
    this.#database.function(name, { deterministic: true }, (value) => of(String(value)));
  }

  run(statement: string, ...values: (string | number | null)[]): number {
    return Number(this.#prepare(statement).run(...values).changes);
  }

  get(statement: string, ...values: (string | number | null)[]): ScratchRow | null {
    const row = this.#prepare(statement).get(...values);
    return row ? cells(row) : null;
  }

  all(statement: string, ...values: (string | number | null)[]): ScratchRow[] {
    return this.#prepare(statement)
      .all(...values)
      .map(cells);
  }

  *each(statement: string, ...values: (string | number | null)[]): Generator<ScratchRow> {
    // Its own statement: an iteration may be open for long, and others of the same text begin meanwhile.
    const prepared = this.#database.prepare(statement);
    prepared.setReadBigInts(true);
    for (const row of prepared.iterate(...values)) yield cells(row);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
    if (KEEPS_NAME) rmSync(this.#path, { force: true });
  }

  #prepare(statement: string): StatementSync {
    let prepared = this.#statements.get(statement);
    if (!prepared) {
      prepared = this.#database.prepare(statement);
      prepared.setReadBigInts(true);
      this.#statements.set(statement, prepared);
    }
    return prepared;
  }

  #readTables(): void {
    this.#tables = new Map(tablesOf(this.#database).map((table) => [table.name, table]));
  }
}

function cells(row: object): ScratchRow {
  const found: Record<string, Cell> = {};
  for (const [column, value] of Object.entries(row)) {
    if (value === null || typeof value === 'string') found[column] = value;
    else found[column] = value instanceof Uint8Array ? Buffer.from(value) : String(value);
  }
  return found;
}
