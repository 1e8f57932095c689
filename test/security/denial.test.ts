/** Requests that ask for far more work than they are long: refused, or no work at all. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import { assertRefused } from '../support/wire.ts';

const many = <T>(count: number, one: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => one(i));

describeEither('denial', { apps: [notes] }, (site) => {
  before(async () => {
    const body = { name: 'long', title: 'a'.repeat(140), body: 'a'.repeat(100_000) };
    await site.make('Note', body);
  });

  const list = (body: object) =>
    site.request('POST', '/api/method/frappe.client.get_list', { body: { doctype: 'Note', ...body } });

  test('a query is only so large', async () => {
    const shared = JSON.stringify(many(5_000, (index) => ['title', '=', `${index}`]));
    for (const [what, body] of Object.entries({
      'aliases of one field': { fields: many(5_000, (index) => `title as a${index}`) },
      aggregates: { fields: many(5_000, (index) => `count(name) as a${index}`) },
      conditions: { filters: JSON.parse(shared) },
      'alternative conditions': { or_filters: JSON.parse(shared) },
      'values of in': { filters: [['title', 'in', many(50_000, String)]] },
      orders: { order_by: many(500, () => 'title asc').join(', ') },
      groups: { fields: ['count(name)'], group_by: many(500, () => 'title').join(', ') },
      'expanded links': { fields: ['related'], expand: many(500, () => 'related') },
      'an offset beyond numbers': { limit_start: '9'.repeat(40) },
      'a path of links': { fields: [many(50, () => 'related').join('.')] },
    })) {
      assertRefused(await list(body), what);
    }
  });

  test('a pattern is compared in its length', async () => {
    for (const pattern of ['%a'.repeat(400), `${'a%'.repeat(400)}b`, '_'.repeat(999)]) {
      const reply = await list({ filters: [['body', 'like', pattern]] });
      assert.ok([200, 417].includes(reply.status), reply.text.slice(0, 300));
    }
    assertRefused(await list({ filters: [['body', 'like', '%'.repeat(60_000)]] }), 'a long pattern');
    // Expressions that make a backtracking engine try for ever are texts like any other.
    for (const text of ['(a+)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(?=(a+))\\1']) {
      assert.deepEqual((await list({ filters: [['body', 'like', text]] })).body.message, [], text);
    }
  });

  test('depth is bounded, wherever JSON is read', async () => {
    const deep = `${'['.repeat(LIMITS.jsonDepth + 5)}${']'.repeat(LIMITS.jsonDepth + 5)}`;
    for (const key of ['filters', 'or_filters', 'fields']) {
      const path = `/api/resource/Note?${key}=${encodeURIComponent(deep)}`;
      assertRefused(await site.request('GET', path), key);
    }
    const headers = { 'content-type': 'application/json' };
    const body = `{"title":${deep}}`;
    assertRefused(await site.request('POST', '/api/resource/Note', { body, headers }), 'a body');
  });

  test('many documents in one request are only so many', async () => {
    const docs = many(5_000, (index) => ({ doctype: 'Note', name: `x${index}`, title: 'x' }));
    for (const method of [
      'frappe.client.insert_many',
      'bulk_update',
      'bulk_delete',
      'frappe.client.bulk_update',
    ]) {
      const reply = await site.request('POST', `/api/method/${method}`, { body: { docs } });
      assertRefused(reply, method);
    }
  });
});
