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
async function heardAgain(
  heard: readonly string[],
  sender: string,
  to: readonly string[] | null = null,
): Promise<void> {
  await until(() => {
    const isHeard = heard.includes(sender);
    if (!isHeard) noticesOf(first as NonNullable<typeof first>).send(sender, to);
    return isHeard;
  });
}

test('what one process sends, others hear, also after their connection broke; those of other sites do not', async () => {
  const heard: string[] = [];
  const strange: string[] = [];
  noticesOf(stranger).listen('strange', (sender) => strange.push(sender));
  const stop = noticesOf(second).listen('heard', (sender) => heard.push(sender));
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

test('a notice to one listener is sent to no other, also to one that listens later on the same connection', async () => {
  const heard = { one: [] as string[], two: [] as string[], three: [] as string[] };
  const listen = (to: { readonly notices: Notices | null }, name: 'one' | 'two' | 'three') =>
    noticesOf(to).listen(name, (sender) => heard[name].push(sender));
  const stops = [listen(second, 'one'), listen(first, 'two')];
  await heardAgain(heard.one, 'for one', ['one']);
  await heardAgain(heard.two, 'for two', ['two']);
  stops.push(listen(second, 'three'));
  await heardAgain(heard.three, 'for two and three', ['two', 'three']);
  // What comes later shows that nothing else is on its way.
  await Promise.all(Object.values(heard).map((each) => heardAgain(each, 'for all')));
  for (const stop of stops) stop();
  const named = Object.fromEntries(
    Object.entries(heard).map(([name, each]) => [
      name,
      [...new Set(each)].filter((from) => /^for (?!all)/.test(from)),
    ]),
  );
  assert.deepEqual(named, {
    one: ['for one'],
    two: ['for two', 'for two and three'],
    three: ['for two and three'],
  });
});
