import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { createDocument } from '../../src/document/create.ts';
import { unitOfWork } from '../../src/document/unit-of-work.ts';
import { updateDocument } from '../../src/document/update.ts';
import { notes } from '../support/notes/app.ts';
import { type Received, WebhookReceiver } from '../support/receiver.ts';
import { ENGINES, startTestSite, type TestSite } from '../support/site.ts';

interface Log {
  readonly name: string;
  readonly status: string;
  readonly attempt: number;
  readonly [field: string]: unknown;
}

for (const engine of ENGINES) {
  describe(`webhook deliveries on ${engine}`, () => {
    let site: TestSite;
    let receiver: WebhookReceiver;
    let count = 0;
    before(async () => {
      receiver = await WebhookReceiver.start();
      site = await startTestSite(engine, {
        apps: [notes],
        worker: true,
        config: {
          webhooks: {
            ...{ allow: ['127.0.0.0/8'], worker: true },
            ...{ maxRetries: 13, backoffBase: 20, backoffFactor: 1, backoffCap: 1_000 },
          },
        },
      });
    });
    after(async () => {
      await site.stop();
      await receiver.close();
    });
    afterEach(async () => {
      // Each test has its own webhooks and its own requests.
      receiver.mode = 'ok';
      receiver.decide = null;
      const { body } = await site.request('GET', '/api/resource/Webhook?limit_page_length=0');
      for (const { name } of body.data) await site.request('DELETE', `/api/resource/Webhook/${name}`);
      receiver.received.length = 0;
    });

    async function webhook(fields: object = {}): Promise<{ name: string; secret: string }> {
      const reply = await site.request('POST', '/api/resource/Webhook', {
        body: {
          webhook_doctype: 'Note',
          webhook_docevent: 'after_insert',
          request_url: receiver.url,
          ...fields,
        },
      });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data;
    }

    async function note(fields: object = {}): Promise<string> {
      const name = `note-${++count}`;
      const reply = await site.request('POST', '/api/resource/Note', {
        body: { name, title: 'A title', ...fields },
      });
      assert.equal(reply.status, 200, reply.text);
      return name;
    }

    async function put(path: string, body: object) {
      const reply = await site.request('PUT', `/api/resource/${path}`, { body });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data;
    }

    async function logs(webhookName: string): Promise<Log[]> {
      const filters = encodeURIComponent(JSON.stringify([['webhook', '=', webhookName]]));
      const path = `/api/resource/Webhook%20Request%20Log?filters=${filters}&order_by=creation%20desc&fields=["*"]`;
      const reply = await site.request('GET', path);
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data;
    }

    /** The log, once it looks as it should; the worker writes it after the receiver answered. */
    async function logUntil(webhookName: string, done: (logs: Log[]) => boolean): Promise<Log[]> {
      const until = Date.now() + 20_000;
      for (;;) {
        const found = await logs(webhookName);
        if (done(found)) return found;
        assert.ok(Date.now() < until, JSON.stringify(found));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }

    const delivered = (found: Log[]) => found.length > 0 && found.every((log) => log.status === 'Delivered');
    const bodyOf = (received: Received | undefined) => JSON.parse(received?.body.toString() ?? 'null');

    test('every event fires for what it names, and for nothing else', async () => {
      const events = [
        'after_insert',
        'on_update',
        'on_submit',
        'on_cancel',
        'on_trash',
        'on_update_after_submit',
        'on_change',
        'after_rename',
      ];
      for (const event of events) {
        await webhook({ webhook_docevent: event, request_url: `${receiver.url}/${event}` });
      }
      const fired: [string, string[]][] = [];
      async function step(name: string, expected: string[], act: () => Promise<unknown>) {
        receiver.received.length = 0;
        await act();
        await receiver.count(expected.length);
        fired.push([name, receiver.received.map(({ path }) => path.slice('/hook/'.length)).sort()]);
        assert.deepEqual(fired.at(-1), [name, expected]);
      }
      let name = '';
      await step('create', ['after_insert', 'on_change'], async () => {
        name = await note();
      });
      await step('update', ['on_change', 'on_update'], () => put(`Note/${name}`, { title: 'Two' }));
      await step('submit', ['on_change', 'on_submit'], () => put(`Note/${name}`, { docstatus: 1 }));
      await step('cancel', ['on_cancel', 'on_change'], () => put(`Note/${name}`, { docstatus: 2 }));
      await step('delete', ['on_trash'], () => site.request('DELETE', `/api/resource/Note/${name}`));
      // Nothing more comes: what another document fires comes after it.
      await step('another', ['after_insert', 'on_change'], () => note());
    });

    test('headers, both signatures and the exact bytes', async () => {
      const { name: hook, secret } = await webhook({
        webhook_headers: [
          { key: 'X-Team', value: 'blue' },
          { key: 'Authorization', value: 'Bearer receiver-token' },
        ],
      });
      const name = await note({ title: 'Café ✓' });
      const [request] = await receiver.count(1);
      assert.ok(request);
      const { headers, body } = request;
      assert.equal(request.method, 'POST');
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['x-team'], 'blue');
      assert.equal(headers['authorization'], 'Bearer receiver-token');
      assert.equal(headers['accept-encoding'], 'identity');
      assert.equal(headers['webhook-event'], 'Note.after_insert');
      assert.equal(headers['webhook-attempt'], '1');
      const expected = createHmac('sha256', secret).update(body).digest('base64');
      assert.equal(headers['x-service-webhook-signature'], expected);
      assert.equal(headers['x-frappe-webhook-signature'], expected);
      new Webhook(secret).verify(body, headers as Record<string, string>);
      assert.match(
        body.toString('latin1'),
        /^\{"name": "note-\d+", .*"title": "Caf\\u00e9 \\u2713", .*"doctype": "Note"/,
      );

      const [log] = await logUntil(hook, delivered);
      assert.equal(log?.name, headers['webhook-id']);
      assert.equal(log?.['data'], body.toString());
      assert.equal(log?.['reference_document'], name);
      assert.equal(log?.['event'], 'after_insert');
      assert.equal(log?.['user'], 'Administrator');
      assert.deepEqual(JSON.parse(String(log?.['headers'])), {
        'X-Team': 'blue',
        Authorization: '*'.repeat(10),
      });
    });

    test('the whole document with nulls and children, or the chosen fields under their keys', async () => {
      await webhook();
      await webhook({
        webhook_data: [
          { fieldname: 'name', key: 'id' },
          { fieldname: 'pages' },
          { fieldname: 'due' },
          { fieldname: 'body' },
          { fieldname: 'lines', key: 'rows' },
        ],
      });
      const lines = [{ text: 'a', weight: 2 }, { text: 'b' }];
      const name = await note({ pages: 3, due: '2026-11-21 10:00:00.123456', lines });
      await receiver.count(2);
      const texts = receiver.received.map(({ body }) => body.toString());
      const chosen = texts.find((text) => text.startsWith('{"id"')) ?? '';
      assert.match(
        chosen,
        new RegExp(
          `^\\{"id": "${name}", "pages": 3, "due": "2026-11-21 10:00:00", "body": null, "rows": \\[\\{"name": `,
        ),
      );
      assert.match(chosen, /"text": "a", "weight": 2\.0, /);
      assert.match(chosen, /"weight": 0\.0, .*"doctype": "Note Line"\}\]\}$/);

      const full = JSON.parse(texts.find((text) => !text.startsWith('{"id"')) ?? '');
      const { body } = await site.request('GET', `/api/resource/Note/${name}`);
      for (const [key, value] of Object.entries(body.data)) {
        if (key !== 'lines') assert.deepEqual(full[key], value, key);
      }
      assert.equal(full.body, null);
      assert.equal(full.lines.length, 2);
    });

    test('password values never leave', async () => {
      await webhook({ webhook_doctype: 'Webhook', webhook_docevent: 'after_insert' });
      const { secret } = await webhook({ webhook_docevent: 'on_trash' });
      await receiver.until((all) => all.length >= 1);
      for (const request of receiver.received) {
        const body = bodyOf(request);
        assert.ok(!('secret' in body) && !('webhook_secret' in body), request.body.toString());
        assert.ok(!request.body.includes(secret));
      }
    });

    test('what is rolled back sends nothing; one delivery per document and transaction, with its last state', async () => {
      await webhook();
      await webhook({ webhook_docevent: 'on_update' });
      await assert.rejects(
        unitOfWork(site.site, ADMINISTRATOR, async (ctx) => {
          await createDocument(ctx, 'Note', { name: 'undone', title: 'x' });
          throw new Error('changed my mind');
        }),
        /changed my mind/,
      );
      await unitOfWork(site.site, ADMINISTRATOR, async (ctx) => {
        await createDocument(ctx, 'Note', { name: 'twice', title: 'x' });
        await updateDocument(ctx, 'Note', 'twice', { title: 'y' });
        await updateDocument(ctx, 'Note', 'twice', { title: 'z' });
      });
      await receiver.count(2);
      const titles = receiver.received.map((request) => [
        request.headers['webhook-event'],
        bodyOf(request).title,
      ]);
      assert.deepEqual(titles.sort(), [
        ['Note.after_insert', 'x'],
        ['Note.on_update', 'z'],
      ]);
      assert.ok(!receiver.received.some(({ body }) => body.includes('undone')));
      await site.request('DELETE', '/api/resource/Note/twice');
    });

    test('a failed delivery is tried again with the same id and bytes, and every attempt is logged', async () => {
      receiver.decide = (_received, count) => (count < 3 ? 500 : 'ok');
      const { name: hook } = await webhook();
      await note();
      await receiver.count(3);
      const [log] = await logUntil(hook, delivered);
      assert.equal(log?.attempt, 3);
      assert.equal(log?.['response_status'], 200);
      assert.equal(log?.['next_retry'], null);
      const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
      assert.deepEqual(new Set(ids), new Set([log?.name]));
      assert.equal(new Set(receiver.received.map(({ body }) => body.toString())).size, 1);
      assert.deepEqual(
        receiver.received.map(({ headers }) => headers['webhook-attempt']),
        ['1', '2', '3'],
      );
      const { body } = await site.request('GET', `/api/resource/Webhook%20Request%20Log/${log?.name}`);
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

    test('after the last retry it is exhausted; Retry-After is obeyed', async () => {
      receiver.mode = 500;
      const { name: hook } = await webhook({ max_retries: 1 });
      await note();
      const [log] = await logUntil(hook, (found) => found[0]?.status === 'Exhausted');
      assert.equal(log?.attempt, 2);
      assert.equal(log?.['error'], 'http_status: status 500');

      receiver.mode = 'retry-after';
      const { name: busy } = await webhook({ webhook_docevent: 'on_trash' });
      const name = await note();
      await site.request('DELETE', `/api/resource/Note/${name}`);
      const [waiting] = await logUntil(busy, (found) => found[0]?.attempt === 1);
      assert.equal(waiting?.status, 'Failed');
      const wait = Date.parse(`${waiting?.['next_retry']}Z`) - Date.parse(`${waiting?.['creation']}Z`);
      assert.ok(wait >= 3_600_000 && wait < 3_700_000, String(wait));
    });

    test('a blocked target is exhausted at once', async () => {
      const { name: hook } = await webhook({ request_url: 'http://169.254.169.254/latest/meta-data' });
      await note();
      const [log] = await logUntil(hook, (found) => found[0]?.status === 'Exhausted');
      assert.equal(log?.attempt, 1);
      assert.match(String(log?.['error']), /^blocked_address: /);
    });

    test('410 disables the webhook and holds what waits', async () => {
      receiver.mode = 410;
      const { name: hook } = await webhook({ webhook_docevent: 'on_change' });
      await note();
      await logUntil(hook, (found) => found[0]?.status === 'Exhausted');
      const until = Date.now() + 20_000;
      for (;;) {
        const { body } = await site.request('GET', `/api/resource/Webhook/${hook}`);
        if (body.data.enabled === 0) break;
        assert.ok(Date.now() < until);
      }
    });

    test('deliveries of one document arrive in order, although the first one fails', async () => {
      receiver.decide = (received, count) => (bodyOf(received).pages === 1 && count <= 2 ? 500 : 'ok');
      const { name: hook } = await webhook({ webhook_docevent: 'on_change' });
      const name = await note({ pages: 1 });
      for (const pages of [2, 3, 4]) await put(`Note/${name}`, { pages });
      const other = await note({ pages: 9 });
      await logUntil(hook, (found) => found.length === 5 && delivered(found));
      const pagesOf = (wanted: string) =>
        receiver.received
          .map(bodyOf)
          .filter((doc) => doc.name === wanted)
          .map((doc) => doc.pages);
      assert.deepEqual(pagesOf(name).slice(-4), [1, 2, 3, 4]);
      assert.deepEqual(pagesOf(other), [9]);
    });

    test('disabling holds what waits, enabling sends it, to the new address', async () => {
      const { name: hook } = await webhook({ request_url: `${receiver.url}/old` });
      receiver.mode = 'retry-after';
      const name = await note();
      await logUntil(hook, (found) => found[0]?.attempt === 1);
      await put(`Webhook/${hook}`, { enabled: 0 });
      assert.deepEqual(
        (await logs(hook)).map((log) => log.status),
        ['Held'],
      );
      await note();
      assert.equal((await logs(hook)).length, 1);
      receiver.mode = 'ok';
      await put(`Webhook/${hook}`, { enabled: 1, request_url: `${receiver.url}/new` });
      await logUntil(hook, delivered);
      assert.deepEqual(
        receiver.received.map((request) => [request.path, bodyOf(request).name]),
        [
          ['/hook/old', name],
          ['/hook/new', name],
        ],
      );
    });

    test('deleting a webhook cancels what waits', async () => {
      receiver.mode = 'retry-after';
      const { name: hook } = await webhook();
      await note();
      await logUntil(hook, (found) => found[0]?.attempt === 1);
      await site.request('DELETE', `/api/resource/Webhook/${hook}`);
      const [log] = await logs(hook);
      assert.equal(log?.status, 'Cancelled');
    });

    test('a new secret signs what is sent from then on', async () => {
      receiver.mode = 'retry-after';
      const { name: hook, secret } = await webhook();
      await note();
      await logUntil(hook, (found) => found[0]?.attempt === 1);
      const reply = await site.request('POST', '/api/method/chancery.webhook.regenerate_secret', {
        body: { webhook: hook },
      });
      receiver.mode = 'ok';
      await put(`Webhook/${hook}`, { enabled: 0 });
      await put(`Webhook/${hook}`, { enabled: 1 });
      await logUntil(hook, delivered);
      const [first, second] = receiver.received;
      assert.ok(first && second);
      new Webhook(secret).verify(first.body, first.headers as Record<string, string>);
      new Webhook(reply.body.message.secret).verify(second.body, second.headers as Record<string, string>);
    });

    test('a document too large is announced without its fields', async () => {
      await webhook();
      const name = await note({ body: 'x'.repeat(1_100_000) });
      const [request] = await receiver.count(1);
      assert.deepEqual(bodyOf(request), { doctype: 'Note', name, truncated: true });
    });

    test('methods other than POST carry the body too', async () => {
      for (const request_method of ['PUT', 'PATCH', 'DELETE']) {
        await webhook({ request_method, webhook_data: [{ fieldname: 'name' }] });
      }
      const name = await note();
      await receiver.count(3);
      const got = receiver.received.map(({ method, body }) => [method, body.toString()]);
      assert.deepEqual(
        got.sort(),
        ['DELETE', 'PATCH', 'PUT'].map((method) => [method, `{"name": "${name}"}`]),
      );
    });

    test('nothing unexpected was observed', () => {
      assert.deepEqual(
        site.observed.filter(({ kind }) => kind === 'unexpected'),
        [],
      );
    });
  });
}
