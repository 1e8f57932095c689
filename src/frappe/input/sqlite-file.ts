import { DatabaseSync } from 'node:sqlite';
import { hashBytes, hashText } from '../dump/hash.ts';
import type { Cell, DumpTable, DumpVisitor, RowView } from '../dump/source.ts';

const MAGIC = 'SQLite format 3\0';

/** True for the first bytes of an SQLite database. */
export function isSqlite(beginning: Buffer): boolean {
  return beginning.subarray(0, MAGIC.length).toString('latin1') === MAGIC;
}

/** Reads all tables of an SQLite database, row by row. */
export function readSqlite(path: string, visitor: DumpVisitor): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    for (const table of tablesOf(database)) {
      const handler = visitor.table(table);
      if (!handler) continue;
      const columns = table.columns.map(({ name }) => quoted(name)).join(', ');
      const statement = database.prepare(`select ${columns} from ${quoted(table.name)}`);
      statement.setReadBigInts(true);
      statement.setReturnArrays(true);
      const row = new ValueRow();
      for (const values of statement.iterate()) {
        row.values = values as unknown as readonly SqliteValue[];
        handler(row);
      }
    }
  } finally {
    database.close();
  }
}

export function tablesOf(database: DatabaseSync): DumpTable[] {
  const tables = database
    .prepare(
      `select "name" from "sqlite_schema" where "type" = 'table' and "name" not like 'sqlite\\_%' escape '\\' order by "name"`,
    )
    .all();
  return tables.map(({ name }) => {
    const columns = database
      .prepare(`select "name", lower("type") as "type" from pragma_table_info(?)`)
      .all(String(name));
    return {
      name: String(name),
      columns: columns.map((column) => ({ name: String(column['name']), type: String(column['type']) })),
    };
  });
}

/** A name in a statement of SQLite. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

type SqliteValue = string | number | bigint | Uint8Array | null;

class ValueRow implements RowView {
  values: readonly SqliteValue[] = [];

  isNull(column: number): boolean {
    return (this.values[column] ?? null) === null;
  }

  cell(column: number): Cell {
    const value = this.values[column] ?? null;
    if (value === null || typeof value === 'string') return value;
    return value instanceof Uint8Array ? Buffer.from(value) : String(value);
  }

  hash(column: number, seed: number): number {
    const value = this.cell(column);
    if (Buffer.isBuffer(value)) return hashBytes(value, 0, value.length, seed);
    return value === null ? 0 : hashText(value, seed);
  }
}
