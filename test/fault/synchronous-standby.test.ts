/** A change is acknowledged when the synchronous standby has it, whoever cancels the wait for it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { change, tableSpec } from '../support/database.ts';
import { type PostgresCluster, startCluster } from '../support/postgres-cluster.ts';
import { until } from '../support/until.ts';

let cluster: PostgresCluster;
let database: Database;
/** Its statements may take ten seconds. */
let hasty: Database;

before(async () => {
  cluster = await startCluster({ synchronous_standby_names: '*' });
  const url = `postgres://postgres@${cluster.primary.host}/postgres?unsafe=1&connect_timeout=300`;
  database = await openDatabase(url);
  hasty = await openDatabase(url, { transactionTimeout: 10_000 });
  await change(database, { change: 'create_table', table: tableSpec('Account', { n: 'integer' }) });
});
after(async () => {
  await Promise.all([database.close(), hasty.close()]);
  await cluster.stop();
});

const insert = (into: Database, name: string) =>
  into.transaction((db) => db.run(sql`insert into "Account" ("name") values (${name})`));
const stored = async (on: 'primary' | 'standby', name: string) =>
  (await cluster[on].ask(`select 1 from "Account" where "name" = '${name}'`)).length === 1;

/** True when such a statement waits for the standby. Its process is given to the function. */
const waits = async (statement: string, call = '"pid"') =>
  (
    await cluster.primary.ask(
      `select ${call} from pg_stat_activity where "wait_event" = 'SyncRep' and "query" like '${statement}'`,
    )
  ).length > 0;

/** Runs the work while the standby receives nothing and keeps its connection. */
async function withoutStandby<T>(work: () => Promise<T>): Promise<T> {
  const receiver = () =>
    cluster.standby.ask('select "pid" from pg_stat_wal_receiver where "pid" is not null');
  const [{ pid } = {}] = await until(receiver, (rows) => rows.length === 1);
  process.kill(Number(pid), 'SIGSTOP');
  try {
    return await work();
  } finally {
    process.kill(Number(pid), 'SIGCONT');
  }
}

test('a change whose wait is cancelled is acknowledged when the standby is back, and it is there', async () => {
  let isDone = false;
  const inserted = await withoutStandby(async () => {
    const changing = insert(database, 'cancelled').finally(() => {
      isDone = true;
    });
    await until(() => waits('commit', 'pg_cancel_backend("pid")'));
    // The question for the outcome changes a row, so it waits for the standby, too.
    await until(() => waits('insert%"_commit"%'));
    assert.equal(isDone, false);
    return { changing };
  });
  await inserted.changing;
  await until(() => stored('standby', 'cancelled'));
});

test('a change whose waits take longer than a statement may has an unknown outcome', async () => {
  await withoutStandby(() =>
    assert.rejects(insert(hasty, 'unknown'), { type: 'OutcomeUnknownError', status: 504 }),
  );
  // Nobody sees it before the standby has it.
  await until(() => stored('primary', 'unknown'));
});
