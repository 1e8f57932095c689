import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { change, tableSpec } from '../support/database.ts';
import { ENGINES, freshDatabaseUrl } from '../support/postgres.ts';

const WRITER = fileURLToPath(new URL('../support/crash-writer.ts', import.meta.url));
const KILLS = 6;

/** Runs the writer, kills it after so many acknowledgements, and returns those it gave. */
async function writeAndKill(url: string, first: number, after: number): Promise<number[]> {
  const child = spawn(process.execPath, ['--conditions=source', WRITER, url, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acked: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    // The last line may have been cut by the kill; a whole one is a promise.
    const n = /^ack (\d+)$/.exec(line)?.[1];
    if (n !== undefined) acked.push(Number(n));
    if (acked.length === after) child.kill('SIGKILL');
  }
  if (child.signalCode === null && child.exitCode === null) await once(child, 'exit');
  assert.equal(child.signalCode, 'SIGKILL');
  return acked;
}

for (const engine of ENGINES) {
  test(`${engine}: a killed process loses nothing it answered and leaves nothing half done`, async () => {
    const { url, drop } = await freshDatabaseUrl(engine);
    const before = await openDatabase(url);
    await change(
      before,
      { change: 'create_table', table: tableSpec('Parent', { n: 'integer' }) },
      { change: 'create_table', table: tableSpec('Child', { n: 'integer' }) },
    );
    await before.close();
    const acked: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      acked.push(...(await writeAndKill(url, kill * 1_000_000, 20 + 37 * kill)));
      const database = await openDatabase(url);
      const counts = await database.reader.all(
        sql`select p."n", (select count(*) from "Child" c where c."n" = p."n") as children from "Parent" p`,
      );
      const orphans = await database.reader.get(
        sql`select count(*) as n from "Child" where "n" not in (select "n" from "Parent")`,
      );
      const present = new Map(counts.map((row) => [row['n'], row['children']]));
      assert.deepEqual(
        acked.filter((n) => present.get(n) !== 5),
        [],
      );
      assert.deepEqual(
        counts.filter((row) => row['children'] !== 5),
        [],
      );
      assert.deepEqual(orphans, { n: 0 });
      await database.close();
    }
    await drop();
  });
}
