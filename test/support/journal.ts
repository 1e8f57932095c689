/**
 * A journal whose every state shows whether it is one that was committed: the numbers 1 to n, a sum of them, and cells
 * that each hold the last number that was written to them.
 */
import assert from 'node:assert/strict';
import type { Connection, Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { change, tableSpec } from './database.ts';

/** Cells of some hundred bytes, so that a commit changes pages here and there in the file. */
const CELLS = 2_000;

export async function createJournal(database: Database): Promise<void> {
  await change(
    database,
    { change: 'create_table', table: tableSpec('Journal', { n: 'integer' }) },
    { change: 'create_table', table: tableSpec('Cell', { n: 'integer', body: 'text' }) },
    { change: 'create_table', table: tableSpec('Total', { n: 'integer' }) },
  );
}

/** The step `n` of a journal. Steps are written in order. */
export async function writeStep(connection: Connection, n: number): Promise<void> {
  await connection.run(sql`insert into "Journal" ("name", "n") values (${`j${n}`}, ${n})`);
  await connection.run(
    sql`insert into "Cell" ("name", "n", "body") values (${cellOf(n)}, ${n}, ${bodyOf(n)})
      on conflict ("name") do update set "n" = excluded."n", "body" = excluded."body"`,
  );
  await connection.run(
    sql`insert into "Total" ("name", "n") values ('all', ${n})
      on conflict ("name") do update set "n" = "Total"."n" + excluded."n"`,
  );
}

/** Checks that a database is one committed state of a journal, and whole. Resolves to its last step. */
export async function lastStep(path: string): Promise<number> {
  const database = await openDatabase(`sqlite:${path}`);
  try {
    const [damage] = await database.reader.all({ text: 'pragma integrity_check', values: [] });
    assert.equal(Object.values(damage ?? {})[0], 'ok');
    const steps = await database.reader.get(sql`select count(*) as n, max("n") as last from "Journal"`);
    const last = Number(steps?.['last'] ?? 0);
    assert.equal(steps?.['n'], last, 'the steps are 1 to the last one');
    const total = await database.reader.get(sql`select "n" from "Total"`);
    assert.equal(Number(total?.['n'] ?? 0), (last * (last + 1)) / 2, 'their sum');
    const cells = await database.reader.all(sql`select "name", "n", "body" from "Cell"`);
    assert.equal(cells.length, Math.min(CELLS, last));
    for (const cell of cells) {
      const n = Number(cell['n']);
      assert.ok(n > last - CELLS && cellOf(n) === cell['name'], `cell ${cell['name']} holds ${n} of ${last}`);
      assert.equal(cell['body'], bodyOf(n));
    }
    return last;
  } finally {
    await database.close();
  }
}

function cellOf(n: number): string {
  return `c${(n * 7) % CELLS}`;
}

function bodyOf(n: number): string {
  return `${n} `.repeat(1 + ((n * 13) % 100));
}
