/** Word between processes on one PostgreSQL database. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Notices } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const [fresh, other] = [await freshDatabaseUrl('postgres'), await freshDatabaseUrl('postgres')];
const [first, second, stranger] = await Promise.all(
  [fresh.url, fresh.url, other.url].map((url) => openDatabase(url)),
);
assert.ok(first && second && stranger);
after(async () => {
  for (const database of [first, second, stranger]) await database.close();
  await fresh.drop();
  await other.drop();
});

function noticesOf({ notices }: { readonly notices: Notices | null }): Notices {
  assert.ok(notices);
  return notices;
}

/** Sends until it is heard: the one who listens may still be connecting. */
async function heardAgain(heard: readonly string[], sender: string): Promise<void> {
  await until(() => {
    const isHeard = heard.includes(sender);
    if (!isHeard) noticesOf(first as NonNullable<typeof first>).send(sender);
    return isHeard;
  });
}

test('what one process sends, others hear, also after their connection broke; those of other sites do not', async () => {
  const heard: string[] = [];
  const strange: string[] = [];
  noticesOf(stranger).listen((sender) => strange.push(sender));
  const stop = noticesOf(second).listen((sender) => heard.push(sender));
  await heardAgain(heard, 'before');
  const ended = await first.reader.all(
    sql`select pg_terminate_backend("pid") from pg_stat_activity where "query" like 'listen %'
        and "datname" = current_database()`,
  );
  assert.ok(ended.length > 0);
  await heardAgain(heard, 'after');
  stop();
  assert.deepEqual(strange, []);
});
