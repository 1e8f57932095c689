/** Servers of one database that only serve, or only deliver webhooks and run periodic jobs. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { planWorkers } from '../../src/site/workers.ts';
import { WebhookReceiver } from '../support/receiver.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

describe('the role of a server', () => {
  let serving: TestSite;
  let working: TestSite;
  before(async () => {
    const secretKey = Buffer.alloc(32, 7).toString('base64');
    serving = await startTestSite('postgres', { config: { secretKey, role: 'serve' }, worker: true });
    const { database, files } = serving.site.config;
    working = await startTestSite('postgres', {
      config: { secretKey, database, files, role: 'work' },
      worker: true,
    });
  });
  after(async () => {
    await working?.stop();
    await serving.stop();
  });

  test('one that serves leaves deliveries to one that works', async () => {
    const receiver = await WebhookReceiver.start();
    const webhook = {
      webhook_doctype: 'Role',
      webhook_docevent: 'on_change',
      request_url: receiver.url,
    };
    await serving.did('POST', 'Webhook', webhook);
    await serving.did('POST', 'Role', { role_name: 'Guide' });
    await until(() => receiver.received.length > 0);
    const rows = await serving.site.database.reader.all({
      text: 'select "node" from "_webhook_node"',
      values: [],
    });
    assert.equal(rows.length, 1);
    await receiver.close();
  });

  test('one that works answers health, readiness and metrics, and nothing else', async () => {
    for (const [path, status] of [
      ['/health', 200],
      ['/ready', 200],
      ['/metrics', 200],
      ['/api/resource/Role', 404],
      ['/api/method/login', 404],
      ['/app', 404],
    ] as const) {
      assert.equal((await working.request('GET', path)).status, status, path);
    }
    assert.equal((await serving.request('GET', '/api/resource/Role')).status, 200);
  });

  test('only one that works runs the periodic jobs', () => {
    const jobs = ['delete_expired_records', 'collect_unused_files', 'trim_change_feed'];
    assert.deepEqual(
      jobs.map((job) => [serving.site.jobs.has(job), working.site.jobs.has(job)]),
      jobs.map(() => [false, true]),
    );
  });

  test('needs PostgreSQL', () => {
    for (const role of ['serve', 'work'] as const) {
      assert.throws(() => planWorkers({ ...DEFAULT_CONFIG, role }), /needs PostgreSQL/);
    }
  });
});
