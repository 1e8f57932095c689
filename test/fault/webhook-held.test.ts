/** Deliveries that a setting forbids wait for the setting; none is given up. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { OpenSite } from '../../src/site/start/open-site.ts';
import { type DeliveryWorker, startDeliveryWorker } from '../../src/webhook/worker/worker.ts';
import { engineOf } from '../support/describe-site.ts';
import { bodyOf, type Log, startWebhookSite, type WebhookSite } from '../support/webhook-site.ts';

for (const engine of engineOf('held')) {
  describe(`deliveries to an address that webhooks.allow does not name, on ${engine}`, () => {
    let hooks: WebhookSite;
    let worker: DeliveryWorker;
    let hook: string;
    let changed: string;

    /** A process whose setting allows these addresses. */
    function workerThatAllows(...allow: readonly string[]): DeliveryWorker {
      const { site } = hooks;
      const config = { ...site.config, webhooks: { ...site.config.webhooks, allow } };
      const other: OpenSite = Object.create(site, { config: { value: config } });
      return startDeliveryWorker(other);
    }

    // The site allows the address, so the webhook can be made; the worker is of a process that was started without.
    beforeEach(async () => {
      hooks = await startWebhookSite(engine, { disableAfter: 1 }, {}, false);
      ({ name: hook } = await hooks.webhook({ webhook_docevent: 'on_change' }));
      worker = workerThatAllows();
      changed = await hooks.note({ pages: 0 });
      for (const pages of [1, 2]) await hooks.put(`Note/${changed}`, { pages });
      await hooks.note();
      const heads = await hooks.logUntil(hook, (found) => found.filter(isHeld).length === 2);
      for (const log of heads.filter(isHeld)) {
        assert.match(String(log['error']), /^blocked_address: .*webhooks\.allow/);
        assert.deepEqual([log.attempt, log['next_retry'] ?? null, log['attempts'] ?? []], [0, null, []]);
      }
      assert.equal(heads.length, 4);
      assert.ok(heads.every(({ status }) => status === 'Held' || status === 'Pending'));
      assert.equal(hooks.receiver.received.length, 0);
    });
    afterEach(async () => {
      await worker.stop();
      await hooks.stop();
    });

    async function allArrive(): Promise<void> {
      const got = await hooks.receiver.count(4);
      const pages = got.map(bodyOf).filter(({ name }) => name === changed);
      assert.deepEqual(
        pages.map((body) => body.pages),
        [0, 1, 2],
      );
      await hooks.logUntil(hook, (found) => found.every(({ status }) => status === 'Delivered'));
      assert.equal(hooks.receiver.received.length, 4);
    }

    test('a start that allows the address sends all of them, in order', async () => {
      await worker.stop();
      worker = workerThatAllows('127.0.0.0/8');
      await allArrive();
    });

    test('a start with the same setting holds them again', async () => {
      await worker.stop();
      worker = workerThatAllows('127.0.0.9/32');
      await hooks.note();
      await hooks.logUntil(hook, (found) => found.filter(isHeld).length === 3);
      assert.equal(hooks.receiver.received.length, 0);
      await worker.stop();
      worker = workerThatAllows('127.0.0.0/8');
      assert.equal((await hooks.receiver.count(5)).length, 5);
    });

    test('a webhook is not disabled for them, however long they are held', async () => {
      await worker.stop();
      worker = workerThatAllows();
      for (let count = 0; count < 10; count += 1) await hooks.note();
      await hooks.logUntil(hook, (found) => found.filter(isHeld).length === 12);
      // Waits for everything that the attempts led to.
      await worker.stop();
      worker = workerThatAllows('127.0.0.0/8');
      assert.equal((await hooks.receiver.count(14)).length, 14);
    });

    test('a new address of the webhook sends all of them, in order', async () => {
      await worker.stop();
      const { url } = hooks.receiver;
      await hooks.put(`Webhook/${hook}`, { request_url: url.replace('127.0.0.1', '127.0.0.2') });
      worker = workerThatAllows('127.0.0.1/32');
      await hooks.logUntil(hook, (found) => found.filter(names('127.0.0.2')).length === 2);
      await hooks.put(`Webhook/${hook}`, { request_url: url });
      await allArrive();
    });
  });
}

function isHeld({ status }: { readonly status: string }): boolean {
  return status === 'Held';
}

/** Is it held for this address? */
function names(address: string): (log: Log) => boolean {
  return (log) => isHeld(log) && String(log['error']).includes(address);
}
