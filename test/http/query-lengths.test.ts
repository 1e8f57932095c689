/**
 * Texts of a query that are too long to be looked at, by every way in which one can come. One engine is
 * enough: no database is asked.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LIMITS } from '../../src/kernel/limits.ts';
import { notes } from '../support/notes/app.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

let site: TestSite;
before(async () => {
  site = await startTestSite('sqlite', { apps: [notes] });
});
after(() => site.stop());

const MOST = LIMITS.queryTextLength;
const METHOD = '/api/method/frappe.client.get_list';

type Parameters = Readonly<Record<string, unknown>>;

const form = (path: string, parameters: Parameters) =>
  site.request('POST', path, {
    body: new URLSearchParams(parameters as Record<string, string>).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
const json = (path: string, parameters: Parameters) => site.request('POST', path, { body: parameters });

const CARRIERS: Readonly<Record<string, typeof form>> = {
  'a form': form,
  'a form at the root door': (_path, parameters) =>
    form('/', { cmd: 'frappe.client.get_list', ...parameters }),
  'a JSON body': json,
  'a JSON body of the second version': (path, parameters) =>
    json(path.replace('/api/', '/api/v2/'), parameters),
};

describe('a parameter of a list that is longer than its limit is 417', () => {
  const names = ['fields', 'filters', 'or_filters', 'order_by', 'group_by', 'expand'];
  for (const [carrier, send] of Object.entries(CARRIERS)) {
    for (const name of names) {
      test(`${name} in ${carrier}`, async () => {
        const reply = await send(METHOD, { doctype: 'Note', [name]: `name${' '.repeat(MOST)}` });
        assert.equal(reply.status, 417, reply.text);
        assert.ok(reply.text.includes(`Parameter ${name} has more than ${MOST} characters`), reply.text);
      });
    }
  }

  // No part of these is too long alone.
  const values: Readonly<Record<string, unknown>> = {
    fields: Array.from({ length: 200 }, () => 'x'.repeat(MOST / 100)),
    filters: [['name', 'in', Array.from({ length: 200 }, () => 'x'.repeat(MOST / 100))]],
    or_filters: { ['x'.repeat(MOST / 2)]: 'y'.repeat(MOST / 2) },
    group_by: Array.from({ length: MOST + 1 }, () => 1),
    expand: [Array.from({ length: MOST }, () => [])],
  };
  for (const [name, value] of Object.entries(values)) {
    test(`${name} as values of JSON, together`, async () => {
      const reply = await json(METHOD, { doctype: 'Note', [name]: value });
      assertEnvelope(reply, 'ValidationError');
      assert.ok(reply.text.includes(`Parameter ${name} has more than`), reply.text.slice(0, 500));
    });
  }
});

describe('methods that make a query of their arguments', () => {
  const long = `"${' '.repeat(MOST)}"`;
  const calls: Readonly<Record<string, Parameters>> = {
    'frappe.client.get_count': { filters: { title: long } },
    'frappe.client.get_value': { fieldname: [long] },
    'frappe.client.get': { filters: { title: long } },
    'frappe.desk.search.search_link': { filters: { title: long } },
    'frappe.client.validate_link': { docname: 'x', fields: [long] },
  };
  for (const [method, args] of Object.entries(calls)) {
    test(method, async () => {
      const reply = await json(`/api/method/${method}`, { doctype: 'Note', ...args });
      assertEnvelope(reply, 'ValidationError');
      assert.match(reply.body.exception, /Parameter (fields|filters) has more than \d+ characters/);
    });
  }
});

test('one as long as its limit is read', async () => {
  const order = `name${' '.repeat(MOST - 'name'.length)}`;
  assert.equal((await form(METHOD, { doctype: 'Note', order_by: order })).status, 200);
  const filters = [['title', '=', 'x'.repeat(MOST - 100)]];
  assert.equal((await json(METHOD, { doctype: 'Note', filters })).status, 200);
});

test('tables of a list name as many fields as a list, at most', async () => {
  const ask = (length: number) =>
    json(METHOD, { doctype: 'User', fields: [{ roles: Array.from({ length }, () => '*') }] });
  assert.equal((await ask(LIMITS.selectedFields)).status, 200);
  assertEnvelope(await ask(LIMITS.selectedFields + 1), 'DataError');
});

test('a refusal repeats no more than the beginning of what was sent', async () => {
  const doctype = '"'.repeat(1_000_000);
  for (const path of [METHOD, METHOD.replace('/api/', '/api/v2/')]) {
    const reply = await json(path, { doctype });
    assert.equal(reply.status, 404);
    assert.ok(reply.text.length < 20 * LIMITS.errorLength, `${reply.text.length} characters`);
  }
});
