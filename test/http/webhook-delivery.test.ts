import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { afterEach, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { describeEither } from '../support/describe-site.ts';
import { bodyOf, delivered, webhookSite } from '../support/webhook-site.ts';

describeEither('webhook deliveries', webhookSite(), (hooks) => {
  afterEach(() => hooks.clear());

  test('every event fires only for its own changes', async () => {
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
      await hooks.webhook({ webhook_docevent: event, request_url: `${hooks.receiver.url}/${event}` });
    }
    const fired: [string, string[]][] = [];
    async function step(name: string, expected: string[], act: () => Promise<unknown>) {
      hooks.receiver.received.length = 0;
      await act();
      await hooks.receiver.count(expected.length);
      fired.push([name, hooks.receiver.received.map(({ path }) => path.slice('/hook/'.length)).sort()]);
      assert.deepEqual(fired.at(-1), [name, expected]);
    }
    let name = '';
    await step('create', ['after_insert', 'on_change'], async () => {
      name = await hooks.note();
    });
    await step('update', ['on_change', 'on_update'], () => hooks.put(`Note/${name}`, { title: 'Two' }));
    await step('submit', ['on_change', 'on_submit'], () => hooks.put(`Note/${name}`, { docstatus: 1 }));
    await step('cancel', ['on_cancel', 'on_change'], () => hooks.put(`Note/${name}`, { docstatus: 2 }));
    await step('delete', ['on_trash'], () => hooks.request('DELETE', `/api/resource/Note/${name}`));
    // Nothing more comes: what another document fires comes after it.
    await step('another', ['after_insert', 'on_change'], () => hooks.note());
  });

  test('header values that may be credentials are masked, and sent unchanged', async () => {
    const { name: hook } = await hooks.webhook({
      webhook_headers: [
        { key: 'X-Team', value: 'blue' },
        { key: 'Authorization', value: 'Bearer hidden' },
      ],
    });
    const path = `/api/resource/Webhook/${hook}`;
    const shown = (await hooks.ok('GET', path)).webhook_headers;
    const values = shown.map(({ value }: { value: string }) => value);
    assert.deepEqual(values, ['blue', '**********']);
    await hooks.ok('PUT', path, { body: { webhook_headers: shown } });
    const unknown = [...shown, { key: 'X-Api-Key', value: '**********' }];
    const refused = await hooks.request('PUT', path, { body: { webhook_headers: unknown } });
    assert.match(refused.text, /the value of X-Api-Key is unknown/);
    await hooks.note({ title: 'Hidden' });
    const [request] = await hooks.receiver.count(1);
    assert.equal(request?.headers['authorization'], 'Bearer hidden');
  });

  test('a delivery has its headers, both signatures and the exact bytes', async () => {
    const { name: hook, secret } = await hooks.webhook({
      webhook_headers: [
        { key: 'X-Team', value: 'blue' },
        { key: 'Authorization', value: 'Bearer receiver-token' },
      ],
    });
    const name = await hooks.note({ title: 'Café ✓' });
    const [request] = await hooks.receiver.count(1);
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

    const [log] = await hooks.logUntil(hook, delivered);
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

  test('the body is the whole document, or the chosen fields under their keys', async () => {
    await hooks.webhook();
    await hooks.webhook({
      webhook_data: [
        { fieldname: 'name', key: 'id' },
        { fieldname: 'pages' },
        { fieldname: 'due' },
        { fieldname: 'body' },
        { fieldname: 'lines', key: 'rows' },
      ],
    });
    const lines = [{ text: 'a', weight: 2 }, { text: 'b' }];
    const name = await hooks.note({ pages: 3, due: '2026-11-21 10:00:00.123456', lines });
    await hooks.receiver.count(2);
    const texts = hooks.receiver.received.map(({ body }) => body.toString());
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
    const { body } = await hooks.request('GET', `/api/resource/Note/${name}`);
    for (const [key, value] of Object.entries(body.data)) {
      if (key !== 'lines') assert.deepEqual(full[key], value, key);
    }
    assert.equal(full.body, null);
    assert.equal(full.lines.length, 2);
  });

  test('password values are never sent', async () => {
    await hooks.webhook({ webhook_doctype: 'Webhook', webhook_docevent: 'after_insert' });
    const { secret } = await hooks.webhook({ webhook_docevent: 'on_trash' });
    await hooks.receiver.until((all) => all.length >= 1);
    for (const request of hooks.receiver.received) {
      const body = bodyOf(request);
      assert.ok(!('secret' in body) && !('webhook_secret' in body), request.body.toString());
      assert.ok(!request.body.includes(secret));
    }
  });

  test('a rollback sends nothing, a commit one delivery per document with its last state', async () => {
    await hooks.webhook();
    await hooks.webhook({ webhook_docevent: 'on_update' });
    await assert.rejects(
      unitOfWork(hooks.site, ADMINISTRATOR, async (ctx) => {
        await createDocument(ctx, 'Note', { name: 'undone', title: 'x' });
        throw new Error('changed my mind');
      }),
      /changed my mind/,
    );
    await unitOfWork(hooks.site, ADMINISTRATOR, async (ctx) => {
      await createDocument(ctx, 'Note', { name: 'twice', title: 'x' });
      await updateDocument(ctx, 'Note', 'twice', { title: 'y' });
      await updateDocument(ctx, 'Note', 'twice', { title: 'z' });
    });
    await hooks.receiver.count(2);
    const titles = hooks.receiver.received.map((request) => [
      request.headers['webhook-event'],
      bodyOf(request).title,
    ]);
    assert.deepEqual(titles.sort(), [
      ['Note.after_insert', 'x'],
      ['Note.on_update', 'z'],
    ]);
    assert.ok(!hooks.receiver.received.some(({ body }) => body.includes('undone')));
    await hooks.request('DELETE', '/api/resource/Note/twice');
  });

  test('a document that is too large is sent without its fields', async () => {
    await hooks.webhook();
    const name = await hooks.note({ body: 'x'.repeat(1_100_000) });
    const [request] = await hooks.receiver.count(1);
    assert.deepEqual(bodyOf(request), { doctype: 'Note', name, truncated: true });
  });

  test('methods other than POST send the body, too', async () => {
    for (const request_method of ['PUT', 'PATCH', 'DELETE']) {
      await hooks.webhook({ request_method, webhook_data: [{ fieldname: 'name' }] });
    }
    const name = await hooks.note();
    await hooks.receiver.count(3);
    const got = hooks.receiver.received.map(({ method, body }) => [method, body.toString()]);
    assert.deepEqual(
      got.sort(),
      ['DELETE', 'PATCH', 'PUT'].map((method) => [method, `{"name": "${name}"}`]),
    );
  });

  test('nothing unexpected was observed', () => {
    assert.deepEqual(
      hooks.observed.filter(({ kind }) => kind === 'unexpected'),
      [],
    );
  });
});
