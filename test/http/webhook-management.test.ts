import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';

const MASK = '*'.repeat(10);
const MINIMAL = {
  webhook_doctype: 'Note',
  webhook_docevent: 'after_insert',
  request_url: 'http://127.0.0.1:9/hook',
};

describeEither('webhooks as documents', { apps: [notes] }, (site) => {
  async function create(fields: object) {
    return site.request('POST', '/api/resource/Webhook', { body: { ...MINIMAL, ...fields } });
  }

  test('four fields are enough: name, enabled, method and secret get defaults', async () => {
    const reply = await create({ webhook_data: [{ fieldname: 'name', key: 'id' }] });
    assert.equal(reply.status, 200, reply.text);
    const { data } = reply.body;
    assert.match(data.name, /^.{8,}$/);
    assert.equal(data.enabled, 1);
    assert.equal(data.request_method, 'POST');
    assert.match(data.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(data.webhook_data[0].key, 'id');
  });

  test('the secret is shown once, in the creation reply', async () => {
    const { body } = await create({});
    const path = `/api/resource/Webhook/${body.data.name}`;
    const read = await site.request('GET', path);
    assert.equal(read.body.data.secret, MASK);
    const updated = await site.ok('PUT', path, { body: { ...read.body.data, timeout: 20 } });
    assert.equal(updated.secret, MASK);
    const listed = await site.request('GET', `/api/resource/Webhook?fields=["*"]`);
    assert.ok(!listed.text.includes(body.data.secret));
    const versions = await site.request('GET', '/api/resource/Version?fields=["*"]');
    assert.ok(!versions.text.includes(body.data.secret));
  });

  test("a client's own secret is accepted, under either name", async () => {
    const own = await create({ secret: 'my own secret' });
    assert.equal(own.body.data.secret, 'my own secret');
    const frappes = await create({ enable_security: 1, webhook_secret: 'from frappe' });
    assert.equal(frappes.body.data.secret, 'from frappe');
    assert.ok(!('webhook_secret' in frappes.body.data));
    const read = await site.request('GET', `/api/resource/Webhook/${frappes.body.data.name}`);
    assert.equal(read.body.data.secret, MASK);
  });

  test('regenerating shows the new secret once, and needs write permission', async () => {
    const { body } = await create({});
    const { name, secret } = body.data;
    const path = '/api/method/chancery.webhook.regenerate_secret';
    const reply = await site.ok('POST', path, { body: { webhook: name } });
    assert.equal(reply.name, name);
    assert.match(reply.secret, /^whsec_/);
    assert.notEqual(reply.secret, secret);
    const read = await site.request('GET', `/api/resource/Webhook/${name}`);
    assert.equal(read.body.data.secret, MASK);

    const writer = await site.createUser('writer@example.com', ['Note Writer']);
    const refused = await site.request('POST', path, { body: { webhook: name }, as: writer });
    assert.equal(refused.status, 403);
    assert.ok(!refused.text.includes('whsec_'));
    assert.equal((await site.request('POST', path, { body: { webhook: name }, as: null })).status, 403);
    assert.equal((await site.request('POST', path, { body: { webhook: 'missing' } })).status, 404);
    assert.equal((await site.request('POST', path, { body: {} })).status, 417);
    assert.equal((await site.request('POST', path, { body: { webhook: { a: 1 } } })).status, 417);
  });

  test('a save refuses a forbidden IP address, but no host name', async () => {
    const { body } = await create({});
    const path = `/api/resource/Webhook/${body.data.name}`;
    const forbidden = [
      'http://10.0.0.1/hook',
      'https://192.168.1.2:8443/',
      'http://169.254.169.254/latest/meta-data',
      'http://[fd00::1]/',
      'http://[::ffff:10.0.0.1]/',
      'http://0x0a000001/',
    ];
    for (const request_url of forbidden) {
      for (const reply of [
        await create({ request_url }),
        await create({ is_dynamic_url: 1, request_url: `${request_url}?n={{ doc.name }}` }),
        await site.request('PUT', path, { body: { request_url } }),
      ]) {
        assert.equal(reply.status, 417, request_url);
        assert.match(reply.text, /Check Request URL: address .* is not allowed for webhooks/);
        const [message] = JSON.parse(reply.body._server_messages).map((each: string) => JSON.parse(each));
        assert.equal(message.fieldname, 'request_url');
      }
    }
    const preview = await site.request('POST', '/api/method/chancery.webhook.preview', {
      body: { changes: { ...MINIMAL, request_url: 'http://10.0.0.1/' } },
    });
    assert.match(preview.body.message.problems.join(), /10\.0\.0\.1 is not allowed/);
    for (const request_url of ['http://intern.example/', 'http://127.0.0.1:9/', 'http://8.8.8.8/']) {
      const reply = await create({ request_url });
      assert.equal(reply.status, 200, reply.text);
    }
  });

  test('a webhook whose stored address is forbidden now can still change other fields', async () => {
    const { body } = await create({});
    const { name } = body.data;
    await site.site.database.transaction((connection) =>
      connection.run(sql`update "Webhook" set "request_url" = 'http://10.0.0.1/' where "name" = ${name}`),
    );
    await site.ok('PUT', `/api/resource/Webhook/${name}`, {
      body: { enabled: 0, request_url: 'http://10.0.0.1/' },
    });
  });

  test('invalid settings are refused with 417 and a reason', async () => {
    const table: readonly (readonly [object, RegExp])[] = [
      [{ webhook_doctype: 'Nowhere' }, /Nowhere/],
      [{ webhook_doctype: 'Note Line' }, /child table/],
      [{ webhook_doctype: 'Webhook Request Log' }, /no event would ever fire/],
      [{ webhook_docevent: 'on_fire' }, /on_fire/],
      [{ webhook_doctype: 'User', webhook_docevent: 'on_submit' }, /must be Submittable/],
      [{ request_url: 'not a url' }, /Check Request URL/],
      [{ request_url: 'ftp://example.com/' }, /Check Request URL/],
      [{ request_url: 'http://' }, /Check Request URL/],
      [{ request_url: 'javascript:alert(1)' }, /Check Request URL/],
      [{ request_url: 'http://user:pass@example.com/' }, /credentials/],
      [{ request_url: `http://example.com/${'x'.repeat(2_000)}` }, /too long/],
      [{ request_method: 'GET' }, /Request Method/],
      [{ timeout: 0 }, /Timeout/],
      [{ timeout: 61 }, /Timeout/],
      [{ max_retries: 51 }, /Max Retries/],
      [{ webhook_data: [{ fieldname: 'nothing' }] }, /no field nothing/],
      [{ webhook_data: [{ fieldname: 'title' }, { fieldname: 'title' }] }, /more than once: title/],
      [
        {
          webhook_data: [
            { fieldname: 'title', key: 'x' },
            { fieldname: 'body', key: 'x' },
          ],
        },
        /Same Key/,
      ],
      [{ webhook_doctype: 'User', webhook_data: [{ fieldname: 'new_password' }] }, /no field new_password/],
      [{ webhook_headers: [{ key: 'bad name', value: 'x' }] }, /not a header name/],
      [{ webhook_headers: [{ key: 'x:y', value: 'x' }] }, /not a header name/],
      [{ webhook_headers: [{ key: 'x-test', value: 'a\r\nb: c' }] }, /cannot carry/],
      [{ webhook_headers: [{ key: 'x-test', value: 'snow ☃' }] }, /cannot carry/],
      [{ webhook_headers: [{ key: 'Host', value: 'evil' }] }, /set by the server/],
      [{ webhook_headers: [{ key: 'content-length', value: '3' }] }, /set by the server/],
      [{ webhook_headers: [{ key: 'Webhook-Signature', value: 'v1,x' }] }, /set by the server/],
      [{ webhook_headers: [{ key: 'X-Service-Webhook-Signature', value: 'x' }] }, /set by the server/],
      [{ webhook_headers: [{ key: 'proxy-authorization', value: 'x' }] }, /set by the server/],
      [{ webhook_headers: [{ key: 'a', value: 'x'.repeat(5_000) }] }, /longer than/],
      [{ webhook_headers: Array(51).fill({ key: 'a', value: 'x' }) }, /At most 50 headers/],
      [
        { webhook_headers: [...'abcde'].map((key) => ({ key, value: 'x'.repeat(4_000) })) },
        /longer than 16384 bytes together/,
      ],
      [
        {
          webhook_headers: [
            { key: 'a', value: '1' },
            { key: 'A', value: '2' },
          ],
        },
        /repeated/,
      ],
    ];
    for (const [fields, reason] of table) {
      const reply = await create(fields);
      const said = `${JSON.stringify(fields).slice(0, 100)}: ${reply.text.slice(0, 300)}`;
      assert.equal(reply.status, 417, said);
      assert.match(JSON.stringify(reply.body), reason, said);
    }
  });

  test('headers without key or value are ignored', async () => {
    const reply = await create({
      webhook_headers: [
        { key: '', value: 'x' },
        { key: 'x-test', value: '' },
      ],
    });
    assert.equal(reply.status, 200, reply.text);
  });

  test('only a System Manager sees webhooks and their log', async () => {
    const outsider = await site.createUser('outsider@example.com', ['Note Writer']);
    for (const doctype of ['Webhook', 'Webhook Request Log']) {
      const path = `/api/resource/${encodeURIComponent(doctype)}`;
      assert.equal((await site.request('GET', path, { as: outsider })).status, 403);
      assert.equal((await site.request('GET', path, { as: null })).status, 403);
      await site.ok('GET', path);
    }
  });

  test('the log is read-only', async () => {
    const path = '/api/resource/Webhook%20Request%20Log';
    const created = await site.request('POST', path, { body: { webhook: 'x' } });
    assert.ok([403, 417].includes(created.status), created.text);
    assert.equal((await site.request('GET', `${path}/dlv_missing`)).status, 404);
  });
});
