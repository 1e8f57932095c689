import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { describeEither } from '../support/describe-site.ts';
import { until } from '../support/until.ts';
import { bodyOf, delivered, type Log, webhookSite } from '../support/webhook-site.ts';

/** Milliseconds. Shorter than the default, so that the test reaches it. */
const CAP = 100_000;

const SLOW = {
  backoffBase: DEFAULT_CONFIG.webhooks.backoffBase,
  backoffFactor: DEFAULT_CONFIG.webhooks.backoffFactor,
  backoffCap: CAP,
};

describeEither('delays of retries', webhookSite(SLOW, { timestampPrecision: 'microseconds' }), (hooks) => {
  test('each wait is the factor longer than the last, up to the cap and the retry limit', async () => {
    hooks.receiver.mode = 500;
    const { name: hook } = await hooks.webhook({ max_retries: 5 });
    await hooks.note();
    for (const wait of [5_000, 20_000, 80_000, CAP, CAP]) {
      const count = hooks.receiver.received.length || 1;
      const [log] = await hooks.logUntil(hook, (found) => found[0]?.attempt === count);
      assert.equal(log?.status, 'Failed');
      const { body } = await hooks.request('GET', `/api/resource/Webhook Request Log/${log?.name}`);
      const { started_at, duration_ms } = body.data.attempts.at(-1);
      const waits = Date.parse(`${log?.['next_retry']}Z`) - Date.parse(`${started_at}Z`) - duration_ms;
      // The times are recorded with the attempt. Two of them are rounded to milliseconds.
      assert.ok(waits >= wait - 2 && waits <= wait * 1.2 + 2, `${waits} ms after attempt ${count}`);
      const again = await hooks.request('POST', '/api/method/chancery.webhook.resend', {
        body: { name: log?.name },
      });
      assert.equal(again.body.message.name, log?.name, again.text);
      await hooks.receiver.count(count + 1);
    }
    const [log] = await hooks.logUntil(hook, (found) => found[0]?.status === 'Exhausted');
    assert.deepEqual([log?.attempt, log?.['next_retry']], [6, null]);
  });
});

describeEither('webhook retries', webhookSite(), (hooks) => {
  afterEach(() => hooks.clear());

  test('a failed delivery is retried with the same id and bytes, and every attempt is logged', async () => {
    hooks.receiver.decide = (_received, count) => (count < 3 ? 500 : 'ok');
    const { name: hook } = await hooks.webhook();
    await hooks.note();
    await hooks.receiver.count(3);
    const [log] = await hooks.logUntil(hook, delivered);
    assert.equal(log?.attempt, 3);
    assert.equal(log?.['response_status'], 200);
    assert.equal(log?.['next_retry'], null);
    const ids = hooks.receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual(new Set(ids), new Set([log?.name]));
    assert.equal(new Set(hooks.receiver.received.map(({ body }) => body.toString())).size, 1);
    assert.deepEqual(
      hooks.receiver.received.map(({ headers }) => headers['webhook-attempt']),
      ['1', '2', '3'],
    );
    const { body } = await hooks.request('GET', `/api/resource/Webhook%20Request%20Log/${log?.name}`);
    assert.deepEqual(
      body.data.attempts.map((attempt: Log) => [
        attempt.attempt,
        attempt['response_status'],
        attempt['response'],
        attempt['error'] ?? null,
        attempt['remote_ip'],
      ]),
      [
        [1, 500, 'status 500', 'http_status: status 500', '127.0.0.1'],
        [2, 500, 'status 500', 'http_status: status 500', '127.0.0.1'],
        [3, 200, 'thank you', null, '127.0.0.1'],
      ],
    );
  });

  test('a delivery is exhausted after the last retry; Retry-After is obeyed', async () => {
    hooks.receiver.mode = 500;
    const { name: hook } = await hooks.webhook({ max_retries: 1 });
    await hooks.note();
    const [log] = await hooks.logUntil(hook, (found) => found[0]?.status === 'Exhausted');
    assert.equal(log?.attempt, 2);
    assert.equal(log?.['error'], 'http_status: status 500');

    hooks.receiver.mode = 'retry-after';
    const { name: busy } = await hooks.webhook({ webhook_docevent: 'on_trash' });
    const name = await hooks.note();
    await hooks.request('DELETE', `/api/resource/Note/${name}`);
    const [waiting] = await hooks.logUntil(busy, (found) => found[0]?.attempt === 1);
    assert.equal(waiting?.status, 'Failed');
    const wait = Date.parse(`${waiting?.['next_retry']}Z`) - Date.parse(`${waiting?.['creation']}Z`);
    assert.ok(wait >= 3_600_000 && wait < 3_700_000, String(wait));
  });

  test('a delivery to a forbidden address is held, and costs no attempt', async () => {
    // Where it leads to shows only when it is sent.
    const request_url = 'http://{{ "169.254.169.254" }}/latest/meta-data';
    const { name: hook } = await hooks.webhook({ is_dynamic_url: 1, request_url });
    await hooks.note();
    const [log] = await hooks.logUntil(hook, (found) => found[0]?.status === 'Held');
    assert.equal(log?.attempt, 0);
    assert.match(String(log?.['error']), /^blocked_address: .*webhooks\.allow/);
  });

  test('410 disables the webhook and holds waiting deliveries', async () => {
    hooks.receiver.mode = 410;
    const { name: hook } = await hooks.webhook({ webhook_docevent: 'on_change' });
    await hooks.note();
    await hooks.logUntil(hook, (found) => found[0]?.status === 'Exhausted');
    await until(
      async () => await hooks.ok('GET', `/api/resource/Webhook/${hook}`),
      ({ enabled }) => enabled === 0,
    );
  });

  test('deliveries of one document arrive in order, even if the first one fails', async () => {
    hooks.receiver.decide = (received, count) => (bodyOf(received).pages === 1 && count <= 2 ? 500 : 'ok');
    const { name: hook } = await hooks.webhook({ webhook_docevent: 'on_change' });
    const name = await hooks.note({ pages: 1 });
    for (const pages of [2, 3, 4]) await hooks.put(`Note/${name}`, { pages });
    const other = await hooks.note({ pages: 9 });
    await hooks.logUntil(hook, (found) => found.length === 5 && delivered(found));
    const pagesOf = (wanted: string) =>
      hooks.receiver.received
        .map(bodyOf)
        .filter((doc) => doc.name === wanted)
        .map((doc) => doc.pages);
    assert.deepEqual(pagesOf(name).slice(-4), [1, 2, 3, 4]);
    assert.deepEqual(pagesOf(other), [9]);
  });

  test('disabling holds waiting deliveries; enabling sends them to the new address', async () => {
    const { name: hook } = await hooks.webhook({ request_url: `${hooks.receiver.url}/old` });
    hooks.receiver.mode = 'retry-after';
    const name = await hooks.note();
    await hooks.logUntil(hook, (found) => found[0]?.attempt === 1);
    await hooks.put(`Webhook/${hook}`, { enabled: 0 });
    assert.deepEqual(
      (await hooks.logs(hook)).map((log) => log.status),
      ['Held'],
    );
    await hooks.note();
    assert.equal((await hooks.logs(hook)).length, 1);
    hooks.receiver.mode = 'ok';
    await hooks.put(`Webhook/${hook}`, { enabled: 1, request_url: `${hooks.receiver.url}/new` });
    await hooks.logUntil(hook, delivered);
    assert.deepEqual(
      hooks.receiver.received.map((request) => [request.path, bodyOf(request).name]),
      [
        ['/hook/old', name],
        ['/hook/new', name],
      ],
    );
  });

  test('deleting a webhook cancels waiting deliveries', async () => {
    hooks.receiver.mode = 'retry-after';
    const { name: hook } = await hooks.webhook();
    await hooks.note();
    await hooks.logUntil(hook, (found) => found[0]?.attempt === 1);
    await hooks.request('DELETE', `/api/resource/Webhook/${hook}`);
    const [log] = await hooks.logs(hook);
    assert.equal(log?.status, 'Cancelled');
  });

  test('a new secret signs all later requests', async () => {
    hooks.receiver.mode = 'retry-after';
    const { name: hook, secret } = await hooks.webhook();
    await hooks.note();
    await hooks.logUntil(hook, (found) => found[0]?.attempt === 1);
    const reply = await hooks.request('POST', '/api/method/chancery.webhook.regenerate_secret', {
      body: { webhook: hook },
    });
    hooks.receiver.mode = 'ok';
    await hooks.put(`Webhook/${hook}`, { enabled: 0 });
    await hooks.put(`Webhook/${hook}`, { enabled: 1 });
    await hooks.logUntil(hook, delivered);
    const [first, second] = hooks.receiver.received;
    assert.ok(first && second);
    new Webhook(secret).verify(first.body, first.headers as Record<string, string>);
    new Webhook(reply.body.message.secret).verify(second.body, second.headers as Record<string, string>);
  });

  test('nothing unexpected was observed', () => {
    assert.deepEqual(
      hooks.observed.filter(({ kind }) => kind === 'unexpected'),
      [],
    );
  });
});
