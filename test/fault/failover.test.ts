/** The primary of PostgreSQL is lost, and its standby takes over. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { change, tableSpec } from '../support/database.ts';
import { type PostgresCluster, type PostgresNode, startCluster } from '../support/postgres-cluster.ts';
import { until } from '../support/until.ts';

const AWAY = { type: 'ServiceUnavailableError', status: 503 };

describe('a URL with several hosts', () => {
  let cluster: PostgresCluster;
  let database: Database;
  const urlOf = (...nodes: readonly PostgresNode[]) =>
    `postgres://postgres@${nodes.map(({ host }) => host).join(',')}/postgres?unsafe=1&target_session_attrs=read-write`;

  before(async () => {
    cluster = await startCluster();
    // The standby comes first: the place in the URL has no meaning.
    database = await openDatabase(urlOf(cluster.standby, cluster.primary));
    await change(database, { change: 'create_table', table: tableSpec('Account', { n: 'integer' }) });
  });
  after(async () => {
    await database.close();
    await cluster.stop();
  });

  const add = (name: string) =>
    database.transaction((connection) =>
      connection.run(sql`insert into "Account" ("name", "n") values (${name}, 1)`),
    );
  const names = async () =>
    (await database.reader.all(sql`select "name" from "Account" order by "name"`)).map(({ name }) => name);
  const replayed = (node: PostgresNode) =>
    // The table may be missing there at first.
    until(async () => {
      const rows = await node.ask(`select 1 from "Account" where "name" = 'before'`).catch(() => []);
      return rows.length === 1;
    });

  test('the one that accepts changes is used', async () => {
    await add('before');
    assert.deepEqual(await names(), ['before']);
  });

  test('while there is none, everything answers 503, and goes on after a promotion', async () => {
    await replayed(cluster.standby);
    await cluster.primary.kill();
    await assert.rejects(add('lost'), AWAY);
    await assert.rejects(names(), AWAY);
    await assert.rejects(database.ping(), AWAY);
    await cluster.standby.ask('select pg_promote()');
    await until(() =>
      database.ping().then(
        () => true,
        () => false,
      ),
    );
    await add('after');
    assert.deepEqual(await names(), ['after', 'before']);
  });

  test('the former primary comes back as a standby, and nothing goes there', async () => {
    await cluster.primary.start(cluster.standby);
    await add('later');
    assert.deepEqual(await names(), ['after', 'before', 'later']);
    const rows = await cluster.primary.ask(
      `select 1 from pg_stat_activity where application_name = 'chancery' and pid <> pg_backend_pid()`,
    );
    assert.deepEqual(rows, []);
  });

  test('a start that finds only standbys is refused with what each said', async () => {
    await cluster.primary.ask('select 1');
    await assert.rejects(
      async () => (await openDatabase(urlOf(cluster.primary))).close(),
      /it is a standby, which accepts no changes/,
    );
    const nobody = { host: '127.0.0.1:1' } as PostgresNode;
    await assert.rejects(
      async () => (await openDatabase(urlOf(nobody, cluster.primary))).close(),
      /none of the hosts accepts changes \(127\.0\.0\.1:1: .*ECONNREFUSED.*; 127\.0\.0\.1:\d+: it is a standby/,
    );
  });

  test('a server that becomes read-only is a lost connection, until it accepts changes again', async () => {
    const single = await openDatabase(urlOf(cluster.standby));
    const write = () =>
      single.transaction((connection) => connection.run(sql`update "Account" set "n" = "n" + 1`));
    const setTo = async (value: string) => {
      await cluster.standby.ask(`alter system set default_transaction_read_only = ${value}`);
      await cluster.standby.ask('select pg_reload_conf()');
      const query = `select current_setting('default_transaction_read_only') as value`;
      await until(async () => (await cluster.standby.ask(query))[0]?.['value'] === value);
    };
    try {
      await write();
      await setTo('on');
      await assert.rejects(write(), (error: { details?: { headers?: unknown } }) => {
        assert.deepEqual(error.details?.headers, { 'Retry-After': '1' });
        return true;
      });
      await assert.rejects(single.ping(), AWAY);
      await cluster.standby
        .ask('begin read write; alter system set default_transaction_read_only = off')
        .catch(() => {});
      await setTo('off');
      await single.ping();
      await write();
    } finally {
      await single.close();
    }
  });
});
