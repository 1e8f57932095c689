/** The doors to methods, by path and by `cmd`, and the methods of apps behind them. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import { assertEnvelope } from '../support/wire.ts';

describeEither('doors to methods', { apps: [notes] }, (site) => {
  before(async () => {
    for (const [name, title] of [
      ['alpha', 'Alpha'],
      ['beta', 'Beta'],
    ]) {
      await site.make('Note', { name, title });
    }
  });

  test('an unknown method is 404, so that clients fall back', async () => {
    for (const method of ['frappe.get_meta', 'nonsense', 'constructor', '__proto__']) {
      assertEnvelope(await site.request('GET', `/api/method/${method}`), 'DoesNotExistError');
      assertEnvelope(await site.request('GET', `/?cmd=${method}`), 'DoesNotExistError');
    }
  });

  test('only the part before the first slash names the method', async () => {
    for (const path of ['ping', 'ping/', 'ping/more/parts', 'frappe.ping']) {
      assert.deepEqual((await site.request('GET', `/api/method/${path}`)).body, { message: 'pong' }, path);
    }
  });

  describe('the root door', () => {
    test('cmd in a form, in the query and in JSON', async () => {
      const expected = { message: { title: 'Beta' } };
      const args = {
        cmd: 'frappe.client.get_value',
        doctype: 'Note',
        fieldname: 'title',
        filters: '{"name":"beta"}',
      };
      const text = new URLSearchParams(args).toString();
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      assert.deepEqual((await site.request('POST', '/', { body: text, headers: form })).body, expected);
      assert.deepEqual((await site.request('GET', `/?${text}`)).body, expected);
      assert.deepEqual((await site.request('POST', '/', { body: args })).body, expected);
    });

    test('without cmd: a word about the service, and 400 for POST', async () => {
      assert.deepEqual((await site.request('GET', '/', { as: null })).body, {
        name: 'chancery',
        api: '/api',
      });
      assertEnvelope(await site.request('POST', '/', { body: {} }), 'BadRequestError');
    });
  });

  describe('methods of apps', () => {
    test('answer documents in their wire form and nothing as {}', async () => {
      const read = await site.request('GET', '/api/method/notes.read?name=alpha');
      assert.deepEqual(read.body, {
        message: (await site.request('GET', '/api/method/frappe.client.get?doctype=Note&name=alpha')).body
          .message,
      });
      assert.deepEqual((await site.request('GET', '/api/method/notes.nothing')).body, {});
    });

    test('a call is one transaction', async () => {
      const add = (body: Record<string, unknown>) =>
        site.request('POST', '/api/method/notes.add_two', { body });
      assert.equal((await add({ name: 'pair', title: 'Two' })).status, 200);
      assertEnvelope(await add({ name: 'half' }), 'MandatoryError');
      assertEnvelope(await site.request('GET', '/api/resource/Note/half-1'), 'DoesNotExistError');
    });

    test('refuse Guest unless they allow it, and verbs they do not name', async () => {
      assertEnvelope(await site.request('GET', '/api/method/notes.nothing', { as: null }), 'PermissionError');
      assert.deepEqual((await site.request('GET', '/api/method/notes.echo?a=1', { as: null })).body, {
        message: { a: '1' },
      });
      assertEnvelope(await site.request('GET', '/api/method/notes.add_two'), 'MethodNotAllowedError');
      assertEnvelope(await site.request('DELETE', '/api/method/notes.echo'), 'MethodNotAllowedError');
    });
  });
});
