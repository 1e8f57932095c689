/** Child rows by addresses of their own: through their parent, with Frappe's answers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineApp } from '../../src/index.ts';
import { describeEither } from '../support/describe-site.ts';
import { type Row, scenario } from '../support/scenario.ts';
import { until } from '../support/until.ts';

const LINE = {
  name: 'Line',
  istable: 1,
  fields: [
    { fieldname: 'item', fieldtype: 'Data', reqd: 1, in_list_view: 1 },
    { fieldname: 'qty', fieldtype: 'Int' },
    { fieldname: 'note', fieldtype: 'Data', allow_on_submit: 1 },
  ],
};
const LINES = { fieldname: 'lines', fieldtype: 'Table', options: 'Line' };
const RIGHTS = { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 };
const DOCTYPES = [
  LINE,
  {
    name: 'Bill',
    autoname: 'prompt',
    track_changes: 1,
    fields: [LINES, { fieldname: 'total', fieldtype: 'Int', read_only: 1 }],
    permissions: [RIGHTS],
  },
  {
    name: 'Posted',
    autoname: 'prompt',
    is_submittable: 1,
    fields: [LINES, { ...LINES, fieldname: 'later', allow_on_submit: 1 }],
    permissions: [{ ...RIGHTS, submit: 1, cancel: 1 }],
  },
];
// A hook of the parent sees every change of its rows.
const app = defineApp({
  name: 'bills',
  controllers: {
    Bill: {
      validate(doc) {
        const lines = doc['lines'] as unknown as { qty: number | null }[];
        doc['total'] = lines.reduce((sum, { qty }) => sum + (qty ?? 0), 0);
      },
    },
  },
});

const made = (name: string, ...items: string[]): Row => ({
  title: '',
  request: 'POST /api/resource/Bill',
  body: { name, lines: items.map((item) => ({ item, qty: 1 })) },
});
const place = (parent: string) => ({ parent, parenttype: 'Bill', parentfield: 'lines' });
const lines = (...items: string[]) => items.map((item, at) => ({ item, idx: at + 1 }));
type Body = { data: { lines: { name: string; modified: string }[] } };
const line = (verb: string, at: number) => (body: Body) =>
  `${verb} /api/resource/Line/${body.data.lines[at]?.name}`;

describeEither('child rows by their own address', { apps: [app], doctypes: DOCTYPES }, (site) => {
  scenario(site, [
    { ...made('posted', 'a'), title: 'POST adds a row to its parent and answers the row' },
    {
      request: 'POST /api/resource/Line',
      body: { ...place('posted'), item: 'b', qty: 5, name: 'chosen', docstatus: 1, owner: 'x' },
      expect: {
        data: { ...place('posted'), item: 'b', qty: 5, idx: 2, docstatus: 0, doctype: 'Line' },
      },
      events: ['Bill.on_update posted', 'Bill.on_change posted'],
    },
    {
      request: 'GET /api/resource/Bill/posted',
      expect: { data: { total: 6, lines: lines('a', 'b') } },
    },
    {
      request: 'POST /api/v2/document/Line',
      body: { ...place('posted'), item: 'first', idx: 1 },
      expect: { data: { item: 'first', idx: 1 } },
    },
    {
      request: 'GET /api/resource/Bill/posted',
      expect: { data: { lines: lines('first', 'a', 'b') } },
    },
    { ...made('put', 'a', 'b', 'c'), title: 'PUT changes the row in its parent and answers the row' },
    {
      request: line('PUT', 1),
      body: { qty: 8, parent: 'other', parenttype: 'User', parentfield: 'roles', docstatus: 1 },
      expect: { data: { ...place('put'), item: 'b', qty: 8, idx: 2, docstatus: 0 } },
      events: ['Bill.on_update put', 'Bill.on_change put'],
    },
    {
      request: 'GET /api/resource/Bill/put',
      expect: { data: { total: 10, lines: lines('a', 'b', 'c') } },
    },
    { request: line('PUT', 0), body: { idx: 3 }, expect: { data: { item: 'a', idx: 3 } } },
    { request: 'GET /api/resource/Bill/put', expect: { data: { lines: lines('b', 'c', 'a') } } },
    { request: line('PUT', 0), body: { item: null }, error: 'MandatoryError' },
    { request: 'GET /api/resource/Bill/put' },
    { request: line('PUT', 0), body: { name: 'other' }, error: 'ValidationError' },
    { ...made('gone', 'a', 'b', 'c'), title: 'DELETE removes the row and renumbers the others' },
    {
      request: line('DELETE', 1),
      expect: { message: 'ok', data: 'ok' },
      events: ['Bill.on_update gone', 'Bill.on_change gone'],
    },
    { request: 'GET /api/resource/Bill/gone', expect: { data: { total: 2, lines: lines('a', 'c') } } },
    {
      request: 'POST /api/method/frappe.client.delete',
      body: (body: Body) => ({ doctype: 'Line', name: body.data.lines[0]?.name }),
      expect: { message: undefined },
    },
    { request: 'GET /api/resource/Bill/gone', expect: { data: { lines: lines('c') } } },
    {
      request: (body: Body) => `DELETE /api/v2/document/Line/${body.data.lines[0]?.name}`,
      expect: { data: 'ok' },
    },
    { request: 'GET /api/resource/Bill/gone', expect: { data: { total: 0, lines: [] } } },
    { ...made('saved', 'a'), title: 'save and bulk_update change rows too' },
    {
      request: 'POST /api/method/frappe.client.save',
      body: ({ data }: Body) => ({ doc: { ...data.lines[0], qty: 4 } }),
      expect: { message: { doctype: 'Line', qty: 4 } },
    },
    { request: 'GET /api/resource/Bill/saved', expect: { data: { total: 4 } } },
    {
      request: 'POST /api/v2/document/Line/bulk_update',
      body: ({ data }: Body) => ({ docs: [{ name: data.lines[0]?.name, qty: 6 }] }),
      expect: { data: { success_count: 1 } },
    },
    { request: 'GET /api/resource/Bill/saved', expect: { data: { total: 6 } } },
    {
      request: 'POST /api/v2/document/Line/bulk_delete',
      body: ({ data }: Body) => ({ names: [data.lines[0]?.name] }),
      expect: { data: { success_count: 1 } },
    },
    { request: 'GET /api/resource/Bill/saved', expect: { data: { lines: [] } } },
    { ...made('wrong', 'a'), title: 'a row without a place, or in a wrong one, is refused' },
    { request: 'POST /api/resource/Line', body: { item: 'x' }, error: 'ValidationError' },
    {
      request: 'POST /api/resource/Line',
      body: { ...place('wrong'), parentfield: 'total', item: 'x' },
      error: 'ValidationError',
    },
    {
      request: 'POST /api/resource/Line',
      body: { ...place('absent'), item: 'x' },
      error: 'DoesNotExistError',
    },
    { request: 'PUT /api/resource/Line/absent', body: { qty: 1 }, error: 'DoesNotExistError' },
    { request: 'DELETE /api/resource/Line/absent', error: 'DoesNotExistError' },
  ]);

  test('a version of the parent tells what happened to its rows', async () => {
    await site.make('Bill', { name: 'versioned', lines: [{ item: 'a' }] });
    const row = await site.make('Line', { ...place('versioned'), item: 'b' });
    await site.did('PUT', `Line/${row.name}`, { qty: 3 });
    await site.did('DELETE', `Line/${row.name}`);
    const versions = await site.did(
      'GET',
      'Version?fields=["data"]&filters={"docname":"versioned"}&order_by=creation asc',
    );
    const seen = versions.map(({ data }: { data: string }) =>
      Object.entries(JSON.parse(data) as Record<string, unknown>)
        .filter(([, value]) => Array.isArray(value) && value.length > 0)
        .map(([key]) => key)
        .join(),
    );
    for (const [at, key] of ['added', 'row_changed', 'removed'].entries()) {
      assert.ok(seen[at]?.includes(key), `${key}: ${seen}`);
    }
  });

  test('a stale modified, or another ETag, refuses a change', async () => {
    const bill = await site.make('Bill', { name: 'stale', lines: [{ item: 'a' }, { item: 'b' }] });
    const path = `/api/resource/Line/${bill.lines[0].name}`;
    const read = await site.request('GET', path);
    const etag = read.headers.get('etag') ?? '';
    const { modified } = read.body.data;
    const first = await site.request('PUT', path, {
      body: { qty: 2, modified },
      headers: { 'if-match': etag },
    });
    assert.equal(first.status, 200, first.text);
    const now = await site.request('GET', path);
    assert.equal(first.headers.get('etag'), now.headers.get('etag'));
    assert.deepEqual(first.body, now.body);
    const again = await site.request('PUT', path, { body: { qty: 3, modified } });
    assert.deepEqual([again.status, again.body.exc_type], [417, 'TimestampMismatchError']);
    for (const verb of ['PUT', 'DELETE']) {
      const late = await site.request(verb, path, { body: { qty: 3 }, headers: { 'if-match': etag } });
      assert.equal(late.status, 412, late.text);
    }
  });

  test('rows that are added at the same time are all kept', async () => {
    await site.make('Bill', { name: 'crowd', lines: [] });
    const items = Array.from({ length: 10 }, (_, at) => `item ${at}`);
    await Promise.all(items.map((item) => site.make('Line', { ...place('crowd'), item })));
    const { lines: kept } = await site.did('GET', 'Bill/crowd');
    assert.deepEqual(kept.map(({ item }: { item: string }) => item).sort(), items);
    assert.deepEqual(
      kept.map(({ idx }: { idx: number }) => idx),
      items.map((_, at) => at + 1),
    );
  });

  test('a submitted document changes only in what allow_on_submit opens', async () => {
    const doc = { name: 'sent', lines: [{ item: 'a' }], later: [{ item: 'b' }], docstatus: 1 };
    const { lines: fixed, later } = await site.make('Posted', doc);
    const where = { parent: 'sent', parenttype: 'Posted' };
    const add = (parentfield: string) =>
      site.request('POST', '/api/resource/Line', { body: { ...where, parentfield, item: 'c' } });
    const refused = [
      await add('lines'),
      await site.request('PUT', `/api/resource/Line/${fixed[0].name}`, { body: { qty: 2 } }),
      await site.request('DELETE', `/api/resource/Line/${fixed[0].name}`),
    ];
    for (const { status, body } of refused) {
      assert.deepEqual([status, body.exc_type], [417, 'UpdateAfterSubmitError']);
    }
    const added = await add('later');
    assert.deepEqual([added.status, added.body.data?.docstatus], [200, 1], added.text);
    await site.did('PUT', `Line/${later[0].name}`, { note: 'x' });
    await site.did('DELETE', `Line/${added.body.data.name}`);
    const now = await site.did('GET', 'Posted/sent');
    assert.deepEqual([now.docstatus, now.lines.length, now.later.length, now.later[0].note], [1, 1, 1, 'x']);
  });

  test('a webhook of the parent is sent for a change of its row', async () => {
    await site.make('Webhook', {
      webhook_doctype: 'Bill',
      webhook_docevent: 'on_update',
      request_url: 'http://127.0.0.1:9/',
      webhook_json: '{}',
      request_structure: 'JSON',
    });
    const bill = await site.make('Bill', { name: 'hooked', lines: [{ item: 'a' }] });
    await site.did('PUT', `Line/${bill.lines[0].name}`, { qty: 3 });
    const logs = await site.did('GET', 'Webhook%20Request%20Log?fields=["reference_document"]');
    assert.deepEqual(logs, [{ reference_document: 'hooked' }]);
  });
});

/** Moved by the test alone, and by a microsecond for each question. */
const clock = {
  now: Date.parse('2026-11-23T10:00:00Z') * 1000,
  micros: () => {
    clock.now += 1;
    return clock.now;
  },
};

describeEither('modified of child rows', { clock, doctypes: DOCTYPES }, (site) => {
  test('a time that versions of a row share is refused, until the row is read again', async () => {
    const bill = await site.make('Bill', { name: 'busy', lines: [{ item: 'a' }] });
    const path = `Line/${bill.lines[0].name}`;
    const read = () => site.did('GET', path);
    const save = (body: object) => site.request('PUT', `/api/resource/${path}`, { body });
    for (let qty = 1; qty <= 7; qty += 1) assert.equal((await save({ qty })).status, 200);
    const { modified } = await read();
    clock.now += 5_000_000;
    const tag = (await site.request('GET', `/api/resource/${path}`)).headers.get('etag');
    assert.equal((await save({ qty: 8, modified })).status, 417);
    const now = await until(
      async () => (await read()).modified,
      (one) => one > modified,
    );
    const again = await site.request('GET', `/api/resource/${path}`);
    assert.notEqual(again.headers.get('etag'), tag);
    assert.equal((await save({ qty: 8, modified: now })).status, 200);
    assert.equal((await save({ qty: 9, modified: now })).status, 417);
  });

  test('who reads a row after quick saves may save it', async () => {
    const bill = await site.make('Bill', { name: 'calm', lines: [{ item: 'a' }] });
    const path = `Line/${bill.lines[0].name}`;
    for (let qty = 1; qty <= 7; qty += 1) await site.did('PUT', path, { qty });
    clock.now += 7_000_000;
    const { modified } = await site.did('GET', path);
    assert.equal((await site.did('GET', path)).modified, modified);
    await site.did('PUT', path, { qty: 8, modified });
    const stale = await site.request('PUT', `/api/resource/${path}`, { body: { qty: 9, modified } });
    assert.equal(stale.status, 417);
  });
});
