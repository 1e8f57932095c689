/** Read replicas below HTTP: what a replica does that lags, hangs, or is none. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { change, tableSpec } from '../support/database.ts';
import { type PostgresCluster, startCluster } from '../support/postgres-cluster.ts';
import { startProxy } from '../support/proxy.ts';
import { askStandby, nodeUrl, setReplay } from '../support/replay.ts';
import { until } from '../support/until.ts';

const IS_STANDBY = sql`select pg_is_in_recovery() as "is"`;

describe('a database with a read replica', () => {
  let database: Database;
  const stopped: (() => Promise<unknown>)[] = [];

  let cluster: PostgresCluster;

  before(async () => {
    cluster = await startCluster({ max_standby_streaming_delay: '0' });
    stopped.push(() => cluster.stop());
    database = await openDatabase(nodeUrl(cluster.primary.host), {
      replicas: [nodeUrl(cluster.standby.host)],
    });
    stopped.push(() => database.close());
    await change(database, { change: 'create_table', table: tableSpec('Account', { n: 'integer' }) });
  });

  after(async () => {
    for (const stop of stopped.toReversed()) await stop();
  });

  const usedAt = async ({ replicas: standbys } = database) => {
    assert.ok(standbys);
    const position = await standbys.positionAfter(standbys.asked);
    assert.ok(position);
    const connection = await until(() => standbys.at(position));
    assert.ok(connection);
    return connection;
  };

  test('a read that replaying cancels is answered by the primary', async () => {
    const slow = sql`select (select count(*) from "Account") as "n",
      case when pg_is_in_recovery() then pg_sleep(300) end as "slept"`;
    const sleeps = `select 1 from pg_stat_activity where wait_event = 'PgSleep' and application_name = 'chancery'`;
    // A replica that is late is replaced by the primary, so the first attempt may not reach it.
    const reading = await until(async () => {
      let isOver = false;
      const rows = (await usedAt()).all(slow).finally(() => {
        isOver = true;
      });
      const isThere = async () => isOver || (await askStandby(cluster.standby, sleeps)).length === 1;
      await until(isThere);
      return isOver ? null : { rows };
    });
    await cluster.primary.ask(`alter table "Account" add column "more" integer`);
    assert.equal((await reading?.rows)?.[0]?.['n'], 0);
  });

  test('a replica that is further behind than it may be is not used', async () => {
    const options = { replicas: [nodeUrl(cluster.standby.host)], replicaStaleness: 0 };
    const strict = await openDatabase(nodeUrl(cluster.primary.host), options);
    try {
      await until(async () => (await strict.replicas?.figures())?.[0]?.behind === 0);
      assert.equal(strict.replicas?.at({ timeline: 1, lsn: 1n }), null);
    } finally {
      await strict.close();
    }
  });

  test('each read asks the replica how far it is', async () => {
    const options = { replicas: [nodeUrl(cluster.standby.host)], replicaStaleness: 2_000 };
    const strict = await openDatabase(nodeUrl(cluster.primary.host), options);
    try {
      const connection = await usedAt(strict);
      await setReplay(cluster.standby, 'pause');
      // One connection, which nobody chooses anew: it is left for the primary when the replica is too far behind.
      await until(async () => {
        await strict.transaction((db) =>
          db.run(sql`insert into "Account" ("name", "n") values (${randomUUID()}, 1)`),
        );
        return (await connection.get(IS_STANDBY))?.['is'] === 0;
      });
    } finally {
      await setReplay(cluster.standby, 'resume');
      await strict.close();
    }
  });

  test('a commit whose position is not told makes the former ones worthless', async () => {
    const { primary, standby } = cluster;
    await primary.ask('create role modest login; create schema modest authorization modest');
    const tell = (how: string) => primary.ask(`${how} public`);
    const url = `${nodeUrl(primary.host, 'modest')}&schema=modest`;
    const modest = await openDatabase(url, { replicas: [nodeUrl(standby.host)] });
    try {
      const { replicas: standbys } = modest;
      assert.ok(standbys);
      await change(modest, { change: 'create_table', table: tableSpec('Own', { n: 'integer' }) });
      const add = () =>
        modest.transaction((db) => db.run(sql`insert into "Own" ("name", "n") values (${randomUUID()}, 1)`));
      const { asked } = standbys;
      await add();
      assert.equal(standbys.asked, asked + 1, 'the question went with the commit');
      const told = await standbys.positionAfter(asked);
      assert.equal(standbys.asked, asked + 1, 'and was enough');
      await tell('revoke execute on function pg_current_wal_flush_lsn() from');
      await add();
      await tell('grant execute on function pg_current_wal_flush_lsn() to');
      const [row] = await primary.ask(`select pg_current_wal_flush_lsn() - '0/0'::pg_lsn as "lsn"`);
      const later = await standbys.positionAfter(asked);
      assert.ok(told && later && told.lsn < later.lsn);
      assert.ok(later.lsn >= BigInt(String(row?.['lsn'])));
    } finally {
      await modest.close();
    }
  });

  test('a replica that hangs does not keep a read waiting', async () => {
    const proxy = await startProxy({ host: '127.0.0.1', port: cluster.standby.port });
    const url = new URL(nodeUrl(`127.0.0.1:${proxy.port}`));
    // Nothing but the patience for replicas ends in time.
    url.searchParams.set('connect_timeout', '3600');
    const hanging = await openDatabase(nodeUrl(cluster.primary.host), {
      replicas: [url.href],
      queryTimeout: 3_600_000,
    });
    try {
      // All connections are open: PostgreSQL itself would end one that is opened and says nothing.
      const connection = await until(async () => {
        const one = await usedAt(hanging);
        const rows = await Promise.all([one.get(IS_STANDBY), one.get(IS_STANDBY)]);
        return rows.every((row) => row?.['is'] === 1) ? one : null;
      });
      assert.ok(connection);
      proxy.freeze();
      assert.equal((await connection.get(IS_STANDBY))?.['is'], 0);
      proxy.thaw();
      await usedAt(hanging);
    } finally {
      await hanging.close();
      await proxy.cut();
    }
  });

  test('a user who may not see the timeline is told so', async () => {
    await cluster.primary.ask(`create role plain login`);
    const warnings: string[] = [];
    const plain = await openDatabase(nodeUrl(cluster.primary.host), {
      replicas: [nodeUrl(cluster.standby.host, 'plain')],
      onWarning: (words) => warnings.push(words),
    });
    try {
      const told = (words: string) => words.endsWith('grant pg_read_all_stats to the user');
      await until(
        () => plain.replicas?.figures(),
        (figures) => told(figures?.[0]?.problem ?? ''),
      );
      assert.ok(warnings.every((words) => words.includes(cluster.standby.host)));
    } finally {
      await plain.close();
    }
  });

  test('a standby of another cluster is not used, however far it is', async () => {
    const other = await startCluster();
    const warnings: string[] = [];
    const wrong = await openDatabase(nodeUrl(cluster.primary.host), {
      replicas: [nodeUrl(other.standby.host)],
      onWarning: (words) => warnings.push(words),
    });
    try {
      const foreign = 'it belongs to another PostgreSQL cluster than the primary';
      await until(
        () => wrong.replicas?.figures(),
        (figures) => figures?.[0]?.problem === foreign,
      );
      assert.ok(warnings.includes(`the read replica ${other.standby.host} is not used: ${foreign}`));
    } finally {
      await wrong.close();
      await other.stop();
    }
  });

  test('a standby that hides its cluster is used', async () => {
    const { primary, standby } = cluster;
    await primary.ask('create role curious login; grant pg_read_all_stats to curious');
    await primary.ask('revoke execute on function pg_control_system() from public');
    const hiding = await openDatabase(nodeUrl(primary.host), {
      replicas: [nodeUrl(standby.host, 'curious')],
    });
    try {
      await until(async () => (await (await usedAt(hiding)).get(IS_STANDBY))?.['is'] === 1);
    } finally {
      await hiding.close();
    }
  });

  test('the primary is no replica', async () => {
    const wrong = await openDatabase(nodeUrl(cluster.primary.host), {
      replicas: [nodeUrl(cluster.primary.host)],
    });
    assert.equal((await wrong.replicas?.figures())?.[0]?.problem, 'it is no standby');
    await wrong.close();
  });

  test('a URL of several hosts, and replicas of SQLite, are refused', async () => {
    const both = nodeUrl(`${cluster.primary.host},${cluster.standby.host}`);
    await assert.rejects(
      openDatabase(nodeUrl(cluster.primary.host), { replicas: [both] }),
      /names several hosts/,
    );
    await assert.rejects(openDatabase('sqlite:/x.db', { replicas: [both] }), /need PostgreSQL/);
  });
});
