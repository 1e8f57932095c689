/** A standby answers the reads of those who carry the position of their last change. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createClient } from '../../src/client.ts';
import type { Position } from '../../src/db/position.ts';
import { signed } from '../../src/http/position.ts';
import { examineSite } from '../../src/site/doctor/doctor.ts';
import { type PostgresCluster, startCluster } from '../support/postgres-cluster.ts';
import { askStandby, nodeUrl, setReplay } from '../support/replay.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read JSON of every shape
type Any = any;

/** The replica stands still for as long as the tests take. */
const DAY = 24 * 60 * 60_000;
const HIDDEN = { fieldname: 'hidden', fieldtype: 'Data', permlevel: 1 };
const MEMO = {
  name: 'Memo',
  custom: 1,
  autoname: 'prompt',
  fields: [{ fieldname: 'text', fieldtype: 'Data' }, HIDDEN],
  permissions: [
    { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 },
    { role: 'Memo Reader', read: 1 },
  ],
};

describe('read replicas', () => {
  let cluster: PostgresCluster;
  let site: TestSite;
  const stopped: (() => Promise<unknown>)[] = [];

  before(async () => {
    cluster = await startCluster({ max_standby_streaming_delay: '0' });
    stopped.push(() => cluster.stop());
    site = await startTestSite('postgres', {
      config: {
        database: nodeUrl(cluster.primary.host),
        databaseReplicas: [nodeUrl(cluster.standby.host)],
        databaseReplicaStaleness: DAY,
        secretKey: Buffer.alloc(32, 5).toString('base64'),
      },
      doctypes: [MEMO],
      users: { reader: ['Memo Reader'], guest: [], late: [] },
    });
    stopped.push(() => site.stop());
  });
  after(async () => {
    for (const stop of stopped.toReversed()) await stop();
  });

  const replicas = () => {
    const { replicas } = site.site.database;
    assert.ok(replicas);
    return replicas;
  };
  const caughtUp = () =>
    until(
      () => replicas().figures(),
      ([figures]) => figures?.behind === 0,
    );
  /** Changes a memo; resolves to the position in the reply. */
  const write = async (name: string, text: string) => {
    const reply = await site.request('PUT', `/api/resource/Memo/${name}`, { body: { text, hidden: text } });
    assert.equal(reply.status, 200, reply.text);
    return String(reply.headers.get('x-chancery-position'));
  };
  const textOf = async (name: string, position?: string, as?: string) => {
    const headers = position === undefined ? {} : { 'x-chancery-position': position };
    return (await site.ok('GET', `/api/resource/Memo/${name}`, { headers, as })).text;
  };
  /** The replica knows the doctype and the user, and this process knows that it does. */
  const isUsed = async (position: string, as?: string) => {
    await caughtUp();
    const { replica } = replicas().reads;
    await until(async () => {
      await textOf('one', position, as);
      return replicas().reads.replica > replica;
    });
  };

  describe('while the replica stands still', () => {
    let old: string;
    let current: string;
    const place = (text: string): Position => {
      const [timeline = '', lsn = ''] = text.split('-');
      return { timeline: Number.parseInt(timeline, 16), lsn: BigInt(`0x${lsn}`) };
    };

    before(async () => {
      for (const name of ['one', 'two']) await site.make('Memo', { name, text: 'old', hidden: 'old' });
      old = await write('one', 'old');
      for (const as of ['reader', undefined]) await isUsed(old, as);
      await setReplay(cluster.standby, 'pause');
      current = await write('one', 'new');
      await site.make('Memo', { name: 'three', text: 'new' });
    });
    after(() => setReplay(cluster.standby, 'resume'));

    const resign = ({ timeline, lsn }: Position) => signed({ timeline, lsn }, site.site.secretKey);
    const cases: readonly [
      what: string,
      headers: () => Record<string, string>,
      from: 'replica' | 'primary',
    ][] = [
      ['no position', () => ({}), 'primary'],
      ['the position of a change that it has', () => ({ 'x-chancery-position': old }), 'replica'],
      ['the same in a cookie', () => ({ cookie: `chancery_position=${old}` }), 'replica'],
      ['a position that it has not reached', () => ({ 'x-chancery-position': current }), 'primary'],
      [
        'such a position beside an older cookie',
        () => ({ 'x-chancery-position': current, cookie: `chancery_position=${old}` }),
        'primary',
      ],
      [
        'the word primary beside a cookie',
        () => ({ 'x-chancery-position': 'primary', cookie: `chancery_position=${old}` }),
        'primary',
      ],
      [
        'an earlier position, signed by nobody',
        () => ({ 'x-chancery-position': old.replace(/-.*-/, '-1-') }),
        'primary',
      ],
      ['a cut position', () => ({ 'x-chancery-position': old.slice(0, -1) }), 'primary'],
      ['an endless position', () => ({ 'x-chancery-position': old.repeat(100) }), 'primary'],
      [
        'a position of another timeline',
        () => ({ 'x-chancery-position': resign({ ...place(old), timeline: place(old).timeline + 1 }) }),
        'primary',
      ],
    ];
    const filters = encodeURIComponent('[["name","<","p"]]');
    for (const [what, headers, from] of cases) {
      test(`${what}: the ${from} answers`, async () => {
        // A replica that is late is replaced by the primary. The primary is never replaced.
        const reads = async (path: string, wanted: unknown, of: (body: Any) => unknown, as?: string) => {
          const read = async () => {
            const reply = await site.request('GET', path, { headers: headers(), as });
            // Whoever asks with another position must not get it from a cache.
            assert.equal(reply.headers.get('cache-control'), 'no-store');
            return of(reply.body);
          };
          if (from === 'replica') await until(read, (found) => found === wanted);
          else assert.equal(await read(), wanted);
        };
        const text = from === 'replica' ? 'old' : 'new';
        const count = from === 'replica' ? 2 : 3;
        await reads('/api/resource/Memo/one', text, ({ data }) => data.text);
        await reads('/api/v2/document/Memo/one', text, ({ data }) => data.text);
        await reads('/api/resource/Memo?fields=["text"]&order_by=name', text, ({ data }) => data[0].text);
        await reads('/api/v2/document/Memo?fields=["text"]&order_by=name', text, ({ data }) => data[0].text);
        await reads('/api/v2/doctype/Memo/count', count, ({ data }) => data);
        await reads('/api/method/frappe.client.get_count?doctype=Memo', count, ({ message }) => message);
        const one = 'doctype=Memo&fieldname=text&filters=one';
        await reads(`/api/method/frappe.client.get_value?${one}`, text, ({ message }) => message.text);
        const first = `doctype=Memo&filters=${filters}&order_by=name`;
        await reads(`/api/method/frappe.client.get?${first}`, text, ({ message }) => message.text);
        // A reader without restrictions is served alike.
        await reads('/api/resource/Memo/one', text, ({ data }) => data.text, 'reader');
      });
    }

    test('a document that it does not have yet is read from the primary', async () => {
      assert.equal(await textOf('three', old), 'new');
    });

    test('rows are not older than the rights that show them', async () => {
      const textAs = async (as: string) => {
        const reads: string[] = [];
        for (let time = 0; time < 3; time += 1) {
          reads.push(await textOf('one', old, as));
          await replicas().figures();
        }
        return reads;
      };
      await site.did('PUT', 'User/late@example.com', { roles: [{ role: 'Memo Reader' }] });
      assert.deepEqual(await textAs('late'), ['new', 'new', 'new']);
      const [text] = MEMO.fields;
      await site.did('PUT', 'DocType/Memo', { fields: [text, { ...HIDDEN, permlevel: 0 }] });
      const { data } = (
        await site.request('GET', '/api/resource/Memo/one', {
          as: 'reader',
          headers: { 'x-chancery-position': old },
        })
      ).body;
      assert.equal(data.hidden, 'new');
    });

    test('a reply to a change carries a position, one to a read does not', async () => {
      const read = await site.request('POST', '/api/method/frappe.client.get_count', {
        body: { doctype: 'Memo' },
      });
      assert.equal(read.headers.get('x-chancery-position'), null);
      const refused = await site.request('POST', '/api/resource/Memo', { body: { name: 'one' } });
      assert.equal(refused.status, 409);
      assert.equal(refused.headers.get('x-chancery-position'), null);
      assert.match(current, /^1-[0-9a-f]+-[\w-]{22}$/);
    });

    test('a browser gets it as a cookie', async () => {
      const body = { usr: 'Administrator', pwd: 'admin-password' };
      const { headers } = await site.request('POST', '/api/method/login', { body, as: null });
      const cookie = headers.getSetCookie().find((one) => one.startsWith('chancery_position=')) ?? '';
      assert.match(
        cookie,
        /^chancery_position=1-[0-9a-f]+-[\w-]{22}; Path=\/; Max-Age=\d+; SameSite=Lax; HttpOnly$/,
      );
    });

    test('a repeated request gets a position behind the first one', async () => {
      const headers = { 'idempotency-key': 'replayed' };
      const make = () => site.request('POST', '/api/resource/Memo', { body: { name: 'once' }, headers });
      await make();
      // Another server may have stored the reply that is repeated. This one stands for its change.
      await cluster.primary.ask('create table "Other" ()');
      const lsn = `select pg_current_wal_flush_lsn() - '0/0'::pg_lsn as "lsn"`;
      const [before] = await cluster.primary.ask(lsn);
      const again = await make();
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      const given = place(String(again.headers.get('x-chancery-position')));
      const [row] = await cluster.primary.ask(lsn);
      assert.ok(given.lsn >= BigInt(String(before?.['lsn'])));
      assert.ok(given.lsn <= BigInt(String(row?.['lsn'])));
    });

    test('rights are those of the primary', async () => {
      const read = (as: string, path = 'Memo/one') =>
        site.request('GET', `/api/resource/${path}`, { as, headers: { 'x-chancery-position': old } });
      assert.equal((await read('guest')).status, 403);
      await site.make('DocShare', {
        share_doctype: 'Memo',
        share_name: 'one',
        user: 'guest@example.com',
        read: 1,
      });
      // Which documents are shared is asked in the statement of a list, so the list is the primary's.
      assert.deepEqual((await read('guest', 'Memo?fields=["text"]')).body.data, [{ text: 'new' }]);
      assert.equal((await read('guest')).body.data.text, 'new');
      const [share] = await site.ok('GET', '/api/resource/DocShare');
      await site.did('DELETE', `DocShare/${share.name}`);
      assert.equal((await read('guest')).status, 403);
      assert.equal((await read('reader')).status, 200);
      await site.did('PUT', 'User/reader@example.com', { roles: [] });
      assert.equal((await read('reader')).status, 403);
    });

    test('documents of doctypes of Chancery come from the primary', async () => {
      await site.did('PUT', 'User/guest@example.com', { last_name: 'Changed' });
      const path = '/api/resource/User/guest@example.com';
      const { data } = (await site.request('GET', path, { headers: { 'x-chancery-position': old } })).body;
      assert.equal(data.last_name, 'Changed');
    });

    test('metrics, health and doctor show the replica', async () => {
      const { host } = cluster.standby;
      const { text } = await until(
        () => site.request('GET', '/metrics'),
        (reply) => reply.text.includes(`chancery_replica_up{replica="${host}"} 1`),
      );
      assert.match(text, /^chancery_replica_behind_bytes\{replica="127\.0\.0\.1:\d+"\} [1-9]\d*$/m);
      assert.match(text, /^chancery_replica_reads_total\{source="replica"\} [1-9]\d*$/m);
      assert.match(text, /^chancery_replica_reads_total\{source="primary"\} [1-9]\d*$/m);
      await until(
        async () => (await site.call('chancery.system.health')).database.replicas,
        ([figures]) => figures.host === host && figures.problem === null && figures.behind_bytes > 0,
      );
      await until(
        async () => (await examineSite(site.site.config, [])).filter(({ check }) => check === 'replicas'),
        ([finding]) => finding?.state === 'ok',
      );
    });
  });

  test('once it has replayed a change, the replica answers with it', async () => {
    const position = await write('one', 'newest');
    await isUsed(position);
    assert.equal(await textOf('one', position), 'newest');
  });

  test('a client reads through another server, from the replica, what it has changed', async () => {
    const other = await startTestSite('postgres', { config: site.site.config });
    try {
      const client = createClient<{ Memo: { name: string; text: string } }>({
        url: site.url,
        token: site.adminKey,
        fetch: (url, init) =>
          fetch(String(url).replace(site.url, init?.method === 'GET' ? other.url : site.url), init),
      });
      const reads = () => other.site.database.replicas?.reads.replica ?? 0;
      const isRead = async (text: string) => {
        const before = reads();
        assert.equal((await client.read('Memo', 'one')).text, text);
        return reads() > before;
      };
      await client.update('Memo', 'one', { text: 'through one' });
      await until(() => isRead('through one'));
      await setReplay(cluster.standby, 'pause');
      await client.update('Memo', 'one', { text: 'through one again' });
      assert.equal(await isRead('through one again'), false);
      await setReplay(cluster.standby, 'resume');
      await until(() => isRead('through one again'));
    } finally {
      await setReplay(cluster.standby, 'resume');
      await other.stop();
    }
  });

  test('a replica that is killed is missed by nobody, and used again when it is back', async () => {
    const position = await write('one', 'before');
    await isUsed(position);
    await cluster.standby.kill();
    assert.equal(await textOf('one', position), 'before');
    assert.notEqual((await replicas().figures())[0]?.problem, null);
    await cluster.standby.start();
    await isUsed(position);
  });

  test('a replica that comes back with an earlier state answers with nothing from before', async () => {
    const { data } = cluster.standby;
    const swap = (from: string, to: string) => {
      rmSync(to, { recursive: true, force: true });
      assert.equal(spawnSync('cp', ['-a', from, to]).status, 0);
    };
    // It comes back with what it has on its disk, which is written up to the last checkpoint.
    await cluster.primary.ask('checkpoint');
    await caughtUp();
    await askStandby(cluster.standby, 'checkpoint');
    await cluster.standby.kill();
    swap(data, `${data}-before`);
    await cluster.standby.start();
    const position = await write('one', 'later');
    await isUsed(position);
    await cluster.standby.kill();
    swap(`${data}-before`, data);
    appendFileSync(join(data, 'postgresql.auto.conf'), `recovery_min_apply_delay = '1d'\n`);
    await cluster.standby.start();
    // This process still believes what it was told before.
    assert.equal(await textOf('one', position), 'later');
    const [row] = await until(
      () => askStandby(cluster.standby, `select "text" from "Memo" where "name" = 'one'`),
      (rows) => rows.length === 1,
    );
    assert.equal(row?.['text'], 'before');
    await askStandby(cluster.standby, 'alter system reset recovery_min_apply_delay');
    await askStandby(cluster.standby, 'select pg_reload_conf()');
  });

  test('after its promotion it answers nothing', async () => {
    const position = await write('one', 'last');
    await isUsed(position);
    await cluster.standby.ask('select pg_promote()');
    await cluster.standby.ask(`update "Memo" set "text" = 'of another history' where "name" = 'one'`);
    assert.equal(await textOf('one', position), 'last');
    assert.equal((await replicas().figures())[0]?.problem, 'it is no standby');
  });
});
