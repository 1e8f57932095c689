import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import { until } from '../support/until.ts';
import { delivered, webhookSite } from '../support/webhook-site.ts';

const METHOD = '/api/method/chancery.webhook.';

describeEither('actions on deliveries', webhookSite(), (hooks, engine) => {
  beforeEach(() => hooks.clear());

  async function call(method: string, body: object, status = 200, as?: string | null) {
    const options = { body, as };
    const reply = await hooks.request('POST', METHOD + method, options);
    assert.equal(reply.status, status, reply.text);
    return reply.body.message;
  }

  const exhausted = (found: readonly { readonly status: string }[]) =>
    found.length > 0 && found.every(({ status }) => status === 'Exhausted');

  test('a resent delivery has the same id, number and bytes, and its own log entry', async () => {
    const { name } = await hooks.webhook();
    await hooks.note({ title: 'Caf\u00e9' });
    const [first] = await hooks.logUntil(name, delivered);
    const { name: again } = await call('resend', { name: first?.name });
    const logs = await hooks.logUntil(name, (found) => found.length === 2 && delivered(found));
    const [one, two] = hooks.receiver.received;
    assert.deepEqual(two?.body, one?.body);
    assert.equal(two?.headers['webhook-id'], one?.headers['webhook-id']);
    assert.equal(two?.headers['webhook-sequence'], one?.headers['webhook-sequence']);
    const log = logs.find((each) => each.name === again);
    assert.equal(log?.['resend_of'], first?.name);
    assert.equal(log?.['webhook_id'], first?.name);
    assert.equal(log?.['sequence'], first?.['sequence']);
    // Sending that again repeats the original, too.
    await call('resend', { name: again });
    await hooks.logUntil(name, (found) => found.length === 3 && delivered(found));
    assert.equal(hooks.receiver.received[2]?.headers['webhook-id'], one?.headers['webhook-id']);
  });

  test('a resent delivery goes to the webhook’s current address', async () => {
    const { name } = await hooks.webhook();
    await hooks.note();
    const [first] = await hooks.logUntil(name, delivered);
    await hooks.put(`Webhook/${name}`, {
      request_url: `${hooks.receiver.url}/elsewhere`,
      request_method: 'PUT',
    });
    await call('resend', { name: first?.name });
    await hooks.logUntil(name, (found) => found.length === 2 && delivered(found));
    const [, moved] = hooks.receiver.received;
    assert.ok(moved?.path.endsWith('/elsewhere'));
    assert.equal(moved?.method, 'PUT');
  });

  test('resending needs permission, an existing delivery and an enabled webhook', async () => {
    const { name } = await hooks.webhook();
    await hooks.note();
    const [first] = await hooks.logUntil(name, delivered);
    const writer = await hooks.createUser(`writer-${engine}@example.com`, ['Note Writer']);
    await call('resend', { name: first?.name }, 403, writer);
    await call('resend', { name: first?.name }, 403, null);
    await call('resend', { name: 'dlv_missing' }, 404);
    await call('resend', {}, 417);
    await call('resend', { name: { a: 1 } }, 417);
    await hooks.put(`Webhook/${name}`, { enabled: 0 });
    await call('resend', { name: first?.name }, 417);
    await hooks.request('DELETE', `/api/resource/Webhook/${name}`);
    await call('resend', { name: first?.name }, 403);
  });

  test('filters select deliveries to count and then resend, in their order', async () => {
    hooks.receiver.mode = 500;
    const { name } = await hooks.webhook({ max_retries: 0 });
    const notes = [await hooks.note(), await hooks.note(), await hooks.note()];
    await hooks.logUntil(name, (found) => found.length === 3 && exhausted(found));
    const filters = { webhook: name, status: 'Exhausted' };
    const preview = await call('resend_many', { filters, preview: 1 });
    assert.deepEqual(preview, { matching: 3, resent: [], skipped: 0, more: true, last: null });
    const failed = await hooks.logs(name);
    assert.equal(failed.length, 3);
    const first = failed.find((log) => log['reference_document'] === notes[0]);
    const last = failed.find((log) => log['reference_document'] === notes[2]);
    assert.equal((await call('resend_many', { filters, preview: 1, after: first?.name })).matching, 2);
    assert.equal((await call('resend_many', { filters, after: last?.name })).matching, 0);

    hooks.receiver.mode = 'ok';
    hooks.receiver.received.length = 0;
    const done = await call('resend_many', { filters });
    assert.equal(done.matching, 3);
    assert.equal(done.resent.length, 3);
    assert.equal(done.more, false);
    const logs = await hooks.logUntil(
      name,
      (found) => found.filter(({ status }) => status === 'Delivered').length === 3,
    );
    const resent = logs.filter((log) => log['resend_of']);
    const inOrder = resent.toSorted((a, b) => Number(a['sequence']) - Number(b['sequence']));
    assert.deepEqual(
      inOrder.map((log) => log['reference_document']),
      notes,
    );
    // They are recovered now.
    assert.equal((await call('resend_many', { filters, preview: 1 })).matching, 0);
    for (const bad of [{ filters: [['nothing', '=', 1]] }, { filters: 'x{' }, {}])
      await call('resend_many', bad, 417);
  });

  test('failed deliveries since a time are recovered once', async () => {
    hooks.receiver.mode = 500;
    const { name } = await hooks.webhook({ max_retries: 0 });
    await hooks.note();
    await hooks.note();
    const [failed] = await hooks.logUntil(name, (found) => found.length === 2 && exhausted(found));
    hooks.receiver.mode = 'ok';
    const day = String(failed?.['creation']).slice(0, 10);
    const since = `${day} 00:00:00`;
    assert.equal((await call('recover', { webhook: name, since, preview: 1 })).matching, 2);
    assert.equal((await call('recover', { webhook: name, since, until: since })).matching, 0);
    assert.equal((await call('recover', { webhook: name, since })).resent.length, 2);
    await hooks.logUntil(name, (found) => found.filter(({ status }) => status === 'Delivered').length === 2);
    assert.equal((await call('recover', { webhook: name, since })).matching, 0);
    await call('recover', { webhook: name }, 417);
    await call('recover', { webhook: name, since: 'long ago' }, 417);
    await call('recover', { webhook: 'missing', since }, 403);
  });

  test('a delivery that a resend delivered is recovered, and is not resent with the others', async () => {
    hooks.receiver.mode = 500;
    const { name } = await hooks.webhook({ max_retries: 0 });
    await hooks.note();
    await hooks.note();
    const [one, two] = await hooks.logUntil(name, (found) => found.length === 2 && exhausted(found));
    // A resend that fails recovers nothing.
    await call('resend', { name: one?.name });
    await hooks.logUntil(name, (found) => found.length === 3 && exhausted(found));
    const filters = { webhook: name };
    assert.equal((await call('resend_many', { filters, preview: 1 })).matching, 2);
    hooks.receiver.mode = 'ok';
    await call('resend', { name: one?.name });
    const logs = await hooks.logUntil(name, (found) => found.some(({ status }) => status === 'Delivered'));
    const again = logs.find(({ status }) => status === 'Delivered');
    assert.deepEqual(
      new Map(logs.map((log) => [log.name, log['recovered']])),
      new Map([
        ...logs.map((log) => [log.name, 1] as const),
        [two?.name, 0] as const,
        [again?.name, 0] as const,
      ]),
    );
    const left = { webhook: name, status: 'Exhausted', recovered: 0 };
    const query = new URLSearchParams({ filters: JSON.stringify(left) });
    assert.deepEqual(await hooks.ok('GET', `/api/resource/Webhook%20Request%20Log?${query}`), [
      { name: two?.name },
    ]);
    const done = await call('resend_many', { filters: { webhook: name, status: 'Exhausted' } });
    assert.deepEqual([done.matching, done.resent.length, done.last], [1, 1, two?.name]);
    await hooks.logUntil(name, (found) => found.filter(({ status }) => status === 'Delivered').length === 2);
    assert.equal(
      (await call('resend_many', { filters: { webhook: name, status: 'Exhausted' }, preview: 1 })).matching,
      0,
    );
  });

  test('a waiting retry can be cancelled once, with permission', async () => {
    hooks.receiver.mode = 'retry-after';
    const { name } = await hooks.webhook();
    await hooks.note();
    const [waiting] = await hooks.logUntil(name, (found) => found[0]?.attempt === 1);
    assert.equal(waiting?.status, 'Failed');
    hooks.receiver.mode = 'ok';
    assert.equal((await call('cancel', { name: waiting?.name })).name, waiting?.name);
    const [cancelled] = await hooks.logs(name);
    assert.equal(cancelled?.status, 'Cancelled');
    await call('cancel', { name: waiting?.name }, 417);
    await call('cancel', { name: 'dlv_missing' }, 404);
    const writer = await hooks.createUser(`other-${engine}@example.com`, ['Note Writer']);
    await call('cancel', { name: waiting?.name }, 403, writer);
  });

  test('cancelling a document’s held delivery lets the next one go', async () => {
    hooks.receiver.mode = 500;
    const { name } = await hooks.webhook({ webhook_docevent: 'on_update', max_retries: 50 });
    const note = await hooks.note();
    await hooks.put(`Note/${note}`, { title: 'first' });
    await hooks.logUntil(name, (found) => (found[0]?.attempt ?? 0) > 0);
    await hooks.put(`Note/${note}`, { title: 'second' });
    await hooks.put(`Webhook/${name}`, { enabled: 0 });
    const logs = (await hooks.logs(name)).toSorted((a, b) => Number(a['sequence']) - Number(b['sequence']));
    const filters = { webhook: name, name: logs[0]?.name };
    // An attempt may be on its way: what is, is not cancelled.
    const preview = await until(
      () => call('cancel_many', { filters, preview: 1 }),
      ({ matching }) => matching !== 0,
    );
    assert.deepEqual(preview, { matching: 1, cancelled: 0, more: true });
    assert.deepEqual(await call('cancel_many', { filters }), { matching: 1, cancelled: 1, more: false });
    const after = await hooks.logs(name);
    assert.deepEqual(after.map(({ status }) => status).toSorted(), ['Cancelled', 'Held']);
    hooks.receiver.mode = 'ok';
    await hooks.put(`Webhook/${name}`, { enabled: 1 });
    const sent = await hooks.logUntil(name, (found) => found.some(({ status }) => status === 'Delivered'));
    assert.match(String(sent.find(({ status }) => status === 'Delivered')?.['data']), /second/);
  });

  test('a test delivery is sent once, is marked, ignores the condition and is rate limited', async () => {
    const { name } = await hooks.webhook({ condition: 'doc.title == "never"' });
    const note = await hooks.note({ title: 'to try' });
    hooks.receiver.mode = 500;
    const { name: tried } = await call('test', { webhook: name, document: note });
    const logs = await hooks.logUntil(name, exhausted);
    assert.equal(logs[0]?.name, tried);
    assert.equal(logs[0]?.['is_test'], 1);
    assert.equal(logs[0]?.attempt, 1);
    assert.match(hooks.receiver.received[0]?.body.toString() ?? '', /to try/);
    await call('test', { webhook: name, document: 'missing' }, 404);
    await call('test', { webhook: 'missing' }, 404);
    for (let count = 1; count < LIMITS.webhookTests; count += 1) await call('test', { webhook: name });
    await call('test', { webhook: name }, 429);
  });

  test('a preview equals the request that is sent later, signature included', async () => {
    const headers = [
      { key: 'X-Api-Key', value: 'hidden-value' },
      { key: 'X-Kind', value: "it's" },
    ];
    const fields = { webhook_headers: headers, webhook_data: [{ fieldname: 'title' }], secret: 'a secret' };
    const { name } = await hooks.webhook({ ...fields, enabled: 0 });
    const document = await hooks.note({ title: 'shown' });
    const shown = await call('preview', { webhook: name, document });
    assert.equal(shown.body, '{"title": "shown"}');
    assert.equal(shown.meets_condition, true);
    assert.equal(shown.error, null);
    assert.ok(!JSON.stringify(shown).includes('hidden-value'));
    assert.ok(shown.curl.includes("-H 'x-kind: it'\\''s'"), shown.curl);
    await hooks.put(`Webhook/${name}`, { enabled: 1, webhook_headers: headers });
    await call('test', { webhook: name, document });
    await hooks.logUntil(name, delivered);
    // A request of the test before may have been on its way still.
    const received = hooks.receiver.received.find(({ headers }) => headers['x-kind'] === "it's");
    assert.equal(received?.body.toString(), shown.body);
    const signature = 'x-service-webhook-signature';
    assert.equal(received?.headers[signature], shown.headers[signature]);
    const reader = await hooks.createUser(`reader-${engine}@example.com`, ['Note Writer']);
    await call('preview', { webhook: name, document }, 403, reader);
  });

  test('a preview of unsaved changes is signed with an example secret', async () => {
    const document = await hooks.note({ title: 'shown' });
    const { name, secret } = await hooks.webhook({ webhook_data: [{ fieldname: 'title' }] });
    const changes = {
      webhook_data: [{ fieldname: 'title', key: 'what' }],
      webhook_headers: [{ key: 'Authorization', value: 'typed just now' }],
      condition: 'doc.title == "other"',
    };
    const shown = await call('preview', { webhook: name, document, changes });
    assert.equal(shown.body, '{"what": "shown"}');
    assert.equal(shown.meets_condition, false);
    assert.ok(!JSON.stringify(shown).includes('typed just now'));
    const signed = (key: string) => createHmac('sha256', key).update(shown.body).digest('base64');
    const signature = shown.headers['x-service-webhook-signature'];
    assert.equal(signature, signed(shown.example_secret));
    assert.notEqual(signature, signed(secret));
    const stored = await call('preview', { webhook: name, document });
    assert.deepEqual([stored.body, stored.example_secret], ['{"title": "shown"}', null]);
    const wrong = await call('preview', { webhook: name, changes: { condition: '(((', timeout: 99 } });
    assert.match(wrong.problems[0], /^Invalid Condition/);
    assert.equal(wrong.problems[1], 'Timeout must be 1 to 60 seconds');
    assert.equal(wrong.body, '');
    await call('preview', { webhook: name, changes: [1] }, 417);
  });

  test('a new webhook is previewed for users who may create it', async () => {
    const document = await hooks.note({ title: 'shown' });
    const before = (await hooks.ok('GET', '/api/resource/Webhook')).length;
    const changes = {
      webhook_doctype: 'Note',
      webhook_docevent: 'after_insert',
      request_url: 'https://example.com/{{ doc.title }}',
      is_dynamic_url: 1,
      webhook_json: '{"t": {{ doc.title }}}',
    };
    const shown = await call('preview', { changes, document });
    assert.deepEqual(
      [shown.method, shown.url, shown.body, shown.problems],
      ['POST', 'https://example.com/shown', '{"t": "shown"}', []],
    );
    const empty = await call('preview', {});
    assert.deepEqual(empty.problems.slice(0, 2), ['DocType is required', 'Doc Event is required']);
    const nowhere = await call('preview', { changes: { ...changes, webhook_doctype: 'Nowhere' } });
    assert.deepEqual(nowhere.problems, ['There is no DocType Nowhere']);
    const writer = await hooks.createUser(`drafter-${engine}@example.com`, ['Note Writer']);
    await call('preview', { changes, document }, 403, writer);
    assert.equal((await hooks.ok('GET', '/api/resource/Webhook')).length, before);
  });

  test('the log returns the exact body of a delivery', async () => {
    const { name } = await hooks.webhook();
    await hooks.note({ title: 'Caf\u00e9 \u2713' });
    const [log] = await hooks.logUntil(name, delivered);
    const reply = await hooks.request('GET', `${METHOD}body?name=${log?.name}`);
    const bytes = Buffer.from(reply.body.message.body, 'base64');
    assert.deepEqual(bytes, hooks.receiver.received[0]?.body);
    assert.equal(reply.body.message.sha256, createHash('sha256').update(bytes).digest('hex'));
    assert.equal((await hooks.request('GET', `${METHOD}body?name=missing`)).status, 404);
    assert.equal((await hooks.request('GET', `${METHOD}body?name=${log?.name}`, { as: null })).status, 403);
  });
});
