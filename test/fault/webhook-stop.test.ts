import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { openQueue } from '../../src/webhook/queue/open-queue.ts';
import { PostgresQueue } from '../../src/webhook/queue/postgres-queue.ts';
import { startDeliveryWorker } from '../../src/webhook/worker/worker.ts';
import { engineOf } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import { WebhookReceiver } from '../support/receiver.ts';
import { startTestSite } from '../support/site.ts';

for (const engine of engineOf('stop')) {
  test(`a stopping worker releases unfinished deliveries, on ${engine}`, async () => {
    const receiver = await WebhookReceiver.start();
    const { site, request, stop, observed } = await startTestSite(engine, { apps: [notes] });
    try {
      await request('POST', '/api/resource/Webhook', {
        body: {
          webhook_doctype: 'Note',
          webhook_docevent: 'after_insert',
          request_url: receiver.url,
          timeout: 60,
        },
      });
      const states = () =>
        site.database.reader.all(
          sql`select "name", "state", "attempt", "owner" from "_webhook_delivery" order by "id"`,
        );
      let hanging = true;
      receiver.decide = () => (hanging ? 'hang' : 'ok');
      const first = startDeliveryWorker(site);
      for (const name of ['one', 'two']) {
        await request('POST', '/api/resource/Note', { body: { name, title: 'x' } });
      }
      // One at least: to a receiver that nobody knows no more may be begun at a time.
      await receiver.count(1);
      await first.stop();
      hanging = false;
      const broken = receiver.received.map(({ headers }) => headers['webhook-id']);
      const after = await states();
      assert.deepEqual(
        after.map(({ state, attempt, owner }) => [state, attempt, owner]),
        [
          [0, 0, null],
          [0, 0, null],
        ],
      );
      // A stopped worker takes nothing more.
      await request('POST', '/api/resource/Note', { body: { name: 'three', title: 'x' } });
      first.wake();

      const second = startDeliveryWorker(site);
      await receiver.count(broken.length + 3);
      const processes: number[] = [];
      const leaving = mock.method(PostgresQueue.prototype, 'leave', async function (this: PostgresQueue) {
        leaving.mock.restore();
        const other = openQueue(site, 'other');
        await other.join();
        processes.push(other.processes);
        await other.leave();
        await this.leave();
      });
      await second.stop();
      // Others send all before a stopping process has left.
      assert.deepEqual(processes, engine === 'postgres' ? [1] : []);
      leaving.mock.restore();
      assert.deepEqual(
        (await states()).map(({ state, attempt }) => [state, attempt]),
        [
          [2, 1],
          [2, 1],
          [2, 1],
        ],
      );
      const ids = receiver.received.slice(broken.length).map(({ headers }) => headers['webhook-id']);
      const names = after.map(({ name }) => name);
      assert.ok(broken.every((id) => names.includes(String(id))));
      assert.equal(new Set(ids).size, 3);
      assert.ok(names.every((name) => ids.includes(String(name))));
      assert.deepEqual(
        observed.filter(({ kind }) => kind === 'unexpected'),
        [],
      );
    } finally {
      await stop();
      await receiver.close();
    }
  });
}
