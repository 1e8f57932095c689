/** What administrators see of the server: state, jobs, errors, settings, slow queries. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { version } from '../../src/config/version.ts';
import { describeTable } from '../../src/db/describe.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import { until } from '../support/until.ts';

const SECRET = 'a-token-for-prometheus';
const SITE = {
  apps: [notes],
  config: { metrics: { token: SECRET }, secretKey: Buffer.alloc(32, 7).toString('base64') },
  users: { clerk: ['Note Writer'], auditor: ['Auditor'], manager: ['System Manager'] },
};
const OPERATIONS = ['health', 'jobs', 'errors', 'settings', 'slow_queries', 'index_builds'].map(
  (name) => `chancery.system.${name}`,
);

describeEither('the state of the server', SITE, (site, engine) => {
  const read = (name: string, args: Record<string, string> = {}, as = 'manager') =>
    site.ok('GET', `/api/method/chancery.system.${name}?${new URLSearchParams(args)}`, { as });

  test('System Managers see it, others are refused, and no reply holds a secret', async () => {
    for (const name of OPERATIONS) {
      for (const as of ['clerk', 'auditor', null]) {
        assert.equal((await site.request('GET', `/api/method/${name}`, { as })).status, 403, `${name} ${as}`);
      }
      const { status, text } = await site.request('GET', `/api/method/${name}`, { as: 'manager' });
      assert.equal(status, 200, text);
      for (const secret of [SECRET, site.adminKey, 'admin-password']) assert.ok(!text.includes(secret), name);
    }
    for (const name of ['run_job', 'create_index']) {
      assert.equal(
        (await site.rpc(`chancery.system.${name}`, { job: 'empty_quarantine' }, 'clerk')).status,
        403,
      );
    }
  });

  test('health reports the database, the disks, the files, the queue and the processes', async () => {
    const health = await read('health');
    assert.equal(health.version, version());
    assert.equal(health.database.kind, engine);
    assert.ok(health.database.bytes > 0);
    assert.deepEqual([health.problems, health.failing_jobs, health.recent_errors], [[], [], 0]);
    assert.ok(health.disks.every(({ free, total }: Record<string, number>) => Number(free) <= Number(total)));
    assert.ok(health.disks.some(({ holds }: { holds: string[] }) => holds.includes('files')));
    const [worker] = health.workers;
    assert.equal(worker.pid, process.pid);
    assert.ok(worker.memory > 0 && worker.uptime > 0 && worker.busy >= 0 && worker.busy <= 1);
    assert.deepEqual(
      [health.queue.due, health.queue.retrying, health.queue.held, health.queue.is_stuck],
      [0, 0, 0, 0],
    );
  });

  test('servers of one PostgreSQL database see one another', { skip: engine === 'sqlite' }, async () => {
    const data = mkdtempSync(join(tmpdir(), 'chancery-node-'));
    const other = await openSite({ ...site.site.config, data }, { apps: [notes] });
    try {
      const { nodes } = await read('health');
      assert.equal(nodes.length, 2);
      assert.deepEqual(
        nodes.map((node: Record<string, unknown>) => [node['is_this'], node['is_alive'], node['version']]),
        [
          [1, 1, version()],
          [0, 1, version()],
        ],
      );
    } finally {
      await other.close();
      rmSync(data, { recursive: true, force: true });
    }
    assert.equal((await read('health')).nodes.length, 1, 'a server that stops takes itself off the list');
  });

  test('a job runs when asked, and says how it went', async () => {
    const named = async (job: string) =>
      (await read('jobs')).jobs.find((each: { job: string }) => each.job === job);
    const before = await named('delete_expired_records');
    assert.equal(before.runs, 0);
    assert.equal(before.last, null);
    assert.notEqual(before.next, null);
    await site.call('chancery.system.run_job', { job: 'delete_expired_records' }, 'manager');
    const after = await until(async () => {
      const state = await named('delete_expired_records');
      return state.runs === 1 ? state : null;
    });
    assert.deepEqual([after.error, after.failures, after.is_running], [null, 0, 0]);
    assert.ok(after.took >= 0 && after.done >= 0 && after.last !== null && after.next !== null);
    assert.equal((await site.rpc('chancery.system.run_job', { job: 'nothing' }, 'manager')).status, 404);
  });

  test('an unexpected error is found by the id that the client saw, with its stack', async () => {
    const reply = await site.request('GET', '/api/method/notes.broken', {
      as: 'clerk',
    });
    assert.equal(reply.status, 500);
    const id = reply.headers.get('x-request-id') ?? '';
    const { errors } = await read('errors', { request_id: id });
    assert.equal(errors.length, 1);
    const [{ kind, status, user, path, method, message, stack }] = errors;
    assert.deepEqual(
      [kind, status, user, path, method],
      ['request', 500, 'clerk@example.com', '/api/method/notes.broken', 'GET'],
    );
    assert.match(message, /canary/);
    assert.match(stack, /app\.ts/);
    assert.deepEqual((await read('errors', { request_id: 'another' })).errors, []);
    assert.ok((await read('health')).recent_errors >= 1);
  });

  test('settings say which value is in force, and why', async () => {
    const named = async (name: string) =>
      (await read('settings')).find((each: { name: string }) => each.name === name);
    assert.equal((await named('metrics.token')).value, '********');
    assert.equal((await named('host')).field, null, 'it needs a restart');
    const length = await named('lists.maxPageLength');
    assert.deepEqual(
      [length.source, length.value, length.field.fieldname],
      ['default', 10_000, 'max_page_length'],
    );
    await site.did('PUT', 'System Settings/System Settings', {
      max_page_length: 4_000,
      session_expiry: '8:00',
    });
    const changed = await named('lists.maxPageLength');
    assert.deepEqual([changed.source, changed.value, changed.default], ['stored', 4_000, 10_000]);
    assert.deepEqual((await named('session_expiry')).value, 8 * 60 * 60_000);
    await site.did('PUT', 'System Settings/System Settings', { max_page_length: 0, session_expiry: null });
  });

  test('a slow query names its index, which is created and stays', async () => {
    const fields = ['title'];
    await site.did('PUT', 'System Settings/System Settings', { slow_query_milliseconds: 1 });
    site.site.observe({
      kind: 'slow_query',
      millis: 900,
      ...{ doctype: 'Note', what: 'list', equal: fields, range: [], other: [], order: [] },
    });
    await site.call('chancery.system.run_job', { job: 'store_slow_queries' }, 'manager');
    const find = async () => {
      const { queries } = await read('slow_queries');
      return queries.find(({ equal }: { equal: string[] }) => equal.join() === 'title');
    };
    const query = await until(find);
    assert.deepEqual([query.doctype, query.count, query.index], ['Note', 1, fields]);
    assert.equal(query.max_ms, 900);

    const args = { doctype: 'Note', fields: JSON.stringify(fields) };
    const plan = await read('plan_index', args);
    assert.deepEqual([plan.rows, plan.has_more, plan.stored_as], [0, 0, 'Property Setter']);
    await site.call('chancery.system.create_index', args, 'manager');
    const table = await describeTable(site.site.database.reader, 'Note');
    assert.ok(table?.indexes.some(({ columns }) => columns.join() === 'title,name'));
    assert.equal((await find()).index, null, 'the index is there');
    assert.equal((await site.did('GET', 'Property Setter/Note-main-indexes')).value, '[["title"]]');
    assert.equal((await site.rpc('chancery.system.create_index', args, 'manager')).status, 417);
    const odd = { doctype: 'Note', fields: '["nothing"]' };
    assert.equal((await site.rpc('chancery.system.create_index', odd, 'manager')).status, 417);
  });
});
