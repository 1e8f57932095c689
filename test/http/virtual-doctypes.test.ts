import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { sensors } from '../support/sensors/app.ts';
import { startTestSite, type TestReply } from '../support/site.ts';

const ROWS = [
  { name: 'a', label: 'Élan', kind: 'Heat', reading: 1.5, pulses: 10, seen: '2026-01-02 03:04:05.678901' },
  { name: 'b', label: 'elan', kind: 'Rain', reading: -2, pulses: 9, seen: null, place: 'Hill' },
  { name: 'c', label: '100%', kind: null, reading: 1e15, pulses: 0, seen: '2026-01-02 03:04:05' },
  { name: 'd', label: '😀', kind: 'Heat', code: 'X1', parts: [{ part: 'Bolt', qty: 2 }, { part: 'Nut' }] },
  { name: 'e', label: '\uffff', kind: 'Wind', code: 'X2', parts: [{ part: 'Bolt', qty: 1 }] },
];

const LISTS = [
  { order_by: 'name' },
  { fields: ['name', 'label', 'kind', 'reading', 'pulses', 'seen', 'code', 'place'], order_by: 'label desc' },
  { fields: ['name'], filters: [['label', 'like', 'É%']], order_by: 'name' },
  { fields: ['name'], filters: [['label', 'like', '%\\%']], order_by: 'name' },
  { fields: ['name'], filters: [['kind', '!=', 'Heat']], order_by: 'reading asc, name desc' },
  { fields: ['name'], filters: { kind: ['in', ['Heat', '']] }, order_by: 'label' },
  { fields: ['name'], filters: [['seen', '=', '2026-01-02 03:04:05']], order_by: 'name' },
  { fields: ['name'], filters: [['seen', 'between', ['2026-01-02', '2026-01-02']]], order_by: 'name' },
  { fields: ['name'], filters: [['reading', '>', 0]], order_by: 'reading' },
  { fields: ['name'], filters: [['reading', 'like', '%e+15']], order_by: 'name' },
  {
    fields: ['name'],
    filters: [['place', 'is', 'not set']],
    order_by: 'name desc',
    limit_start: 1,
    limit: 2,
  },
  {
    fields: ['name'],
    or_filters: [
      ['name', '=', 'a'],
      ['code', '=', 'X2'],
    ],
    order_by: 'name',
  },
  {
    fields: ['name'],
    filters: [
      ['parts.part', '=', 'Bolt'],
      ['parts.qty', '>', 1],
    ],
    order_by: 'name',
  },
  { fields: ['label as title', 'name'], order_by: 'name' },
  { fields: ['label', 'name'], order_by: 'name', as_dict: 0 },
  { fields: ['count(name) as n'], filters: [['pulses', '<', 10]] },
];

describeEitherEngine('virtual doctypes', (engine) => {
  const { app, stored, asked } = sensors();
  let watcher: string;
  const site = useStarted(() => startTestSite(engine, { apps: [app] }));
  before(async () => {
    await site.request('POST', '/api/resource/Place', { body: { name: 'Hill', town: 'Ulm' } });
    watcher = await site.createUser('watcher@example.com', ['Watcher']);
    for (const row of ROWS) {
      stored.set(row.name, row);
      await site.make('Stored Sensor', row);
    }
  });

  const get = (doctype: string, parameters: Record<string, unknown> = {}, as?: string) => {
    const query = new URLSearchParams(
      Object.entries(parameters).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    );
    return site.request('GET', `/api/resource/${doctype}?${query}`, { as });
  };
  const refused = (reply: TestReply, status: number, type: string) =>
    assert.deepEqual([reply.status, reply.body.exc_type], [status, type], reply.text);

  test('a list answers as a table with the same rows would', async () => {
    for (const parameters of LISTS) {
      const virtual = await get('Sensor', parameters);
      const table = await get('Stored%20Sensor', parameters);
      assert.equal(table.status, 200, table.text);
      assert.deepEqual(virtual.body, table.body, JSON.stringify(parameters));
      assert.ok(table.body.data.length > 0, `${JSON.stringify(parameters)} finds nothing to compare`);
    }
    const count = async (doctype: string) => {
      const body = { doctype, filters: { kind: 'Heat' } };
      return (await site.request('POST', '/api/method/frappe.client.get_count', { body })).body.message;
    };
    assert.equal(await count('Sensor'), 2);
    assert.equal(await count('Stored Sensor'), 2);
  });

  test('a list refuses what a table would, and what only a table can do', async () => {
    for (const parameters of [{ fields: ['nope'] }, { filters: [['pin', '=', 'x']] }, { order_by: 'nope' }]) {
      refused(await get('Sensor', parameters), 417, 'DataError');
    }
    refused(await get('Sensor', { filters: [['place.town', '=', 'Ulm']] }), 417, 'DataError');
    refused(await get('Sensor', { filters: [['name', 'descendants of', 'a']] }), 417, 'ValidationError');
    refused(await get('Alarm', { filters: [['sensor.label', '=', 'x']] }), 417, 'DataError');
    refused(await get('Orphan'), 417, 'ValidationError');
    refused(await get('Orphan/x'), 417, 'ValidationError');
  });

  test('one is read with rows, nulls left out, and an ETag of its content', async () => {
    const reply = await get('Sensor/d');
    assert.equal(reply.status, 200, reply.text);
    const { data } = reply.body;
    assert.deepEqual([data.name, data.label, data.reading, data.owner], ['d', '😀', 0, 'Administrator']);
    assert.deepEqual(
      data.parts.map((row: Record<string, unknown>) => [row['part'], row['qty'], row['idx'], row['parent']]),
      [
        ['Bolt', 2, 1, 'd'],
        ['Nut', 0, 2, 'd'],
      ],
    );
    assert.equal('seen' in data || 'creation' in data, false);
    const etag = reply.headers.get('etag') ?? '';
    const same = await site.request('GET', '/api/resource/Sensor/d', { headers: { 'if-none-match': etag } });
    assert.equal(same.status, 304);
    stored.set('d', { ...stored.get('d'), reading: 3 });
    await site.ok('GET', '/api/resource/Sensor/d', { headers: { 'if-none-match': etag } });
    refused(await get('Sensor/none'), 404, 'DoesNotExistError');
  });

  test('is created, changed and deleted by its controller, after the usual checks', async () => {
    const made = await site.make('Sensor', {
      name: 'NEW',
      label: 'New',
      pin: 's3cret',
      parts: [{ part: 'Cog' }],
    });
    assert.equal(made.name, 'new');
    assert.match(made.pin, /^\*+$/);
    assert.equal(made.parts[0].parent, 'new');
    assert.equal(JSON.stringify(stored.get('new')).includes('s3cret'), false);
    const put = (body: Record<string, unknown>, headers = {}) =>
      site.request('PUT', '/api/resource/Sensor/new', { body, headers });
    const changed = await put({ kind: 'Rain' });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.body.data.label, 'New');
    assert.equal(stored.get('new')?.['kind'], 'Rain');
    refused(await put({ kind: 'Snow' }), 417, 'ValidationError');
    refused(await put({ label: '' }), 417, 'MandatoryError');
    refused(await put({ place: 'Nowhere' }), 417, 'LinkValidationError');
    refused(await put({ kind: 'Wind' }, { 'if-match': '"1"' }), 412, 'PreconditionFailedError');
    const alarm = await site.make('Alarm', { sensor: 'new' });
    const lost = await site.request('POST', '/api/resource/Alarm', { body: { sensor: 'nowhere' } });
    refused(lost, 417, 'LinkValidationError');
    const remove = () => site.request('DELETE', '/api/resource/Sensor/new');
    refused(await remove(), 417, 'LinkExistsError');
    await site.request('DELETE', `/api/resource/Alarm/${alarm.name}`);
    assert.equal((await remove()).status, 202);
    assert.equal(stored.has('new'), false);
    const rename = await site.request('POST', '/api/method/frappe.client.rename_doc', {
      body: { doctype: 'Sensor', old_name: 'a', new_name: 'z' },
    });
    refused(rename, 417, 'ValidationError');
    refused(
      await site.request('POST', '/api/resource/Gauge', { body: { label: 'x' } }),
      417,
      'ValidationError',
    );
  });

  test('roles, owners and levels decide as for any doctype', async () => {
    stored.set('mine', { name: 'mine', label: 'Mine', owner: 'watcher@example.com', code: 'X9' });
    const list = await get('Sensor', { fields: ['*'] }, watcher);
    assert.deepEqual(
      list.body.data.map((row: Record<string, unknown>) => row['name']),
      ['mine'],
    );
    assert.equal('code' in list.body.data[0], false);
    assert.equal('code' in (await get('Sensor/mine', {}, watcher)).body.data, false);
    refused(await get('Sensor/a', {}, watcher), 403, 'PermissionError');
    refused(await get('Sensor', { filters: [['code', '=', 'X9']] }, watcher), 417, 'DataError');
    refused(await get('Gauge', {}, watcher), 403, 'PermissionError');
    const write = await site.request('PUT', '/api/resource/Sensor/mine', { as: watcher, body: {} });
    refused(write, 403, 'PermissionError');
    stored.delete('mine');
  });

  test('a controller may answer with a page and a count of its own', async () => {
    const page = await get('Gauge', { fields: ['name', 'label'], limit_start: 40, limit: 2 });
    assert.deepEqual(page.body.data, [
      { name: 'g40', label: 'Gauge 40' },
      { name: 'g41', label: 'Gauge 41' },
    ]);
    const count = await get('Gauge', { fields: ['count(name) as n'], filters: [['label', 'like', 'G%']] });
    assert.deepEqual(count.body.data, [{ n: 1_000 }]);
    assert.deepEqual(asked.slice(0, 2), [
      [40, 2],
      [0, 20, 'label'],
    ]);
    assert.equal((await get('Gauge/g7')).body.data.label, 'Gauge 7');
  });

  test('a value of the wrong type is refused by name, not shown', async () => {
    stored.set('odd', { name: 'odd', label: 'Odd', seen: 'yesterday' });
    const reply = await get('Sensor/odd');
    refused(reply, 417, 'ValidationError');
    assert.match(reply.body.exception, /Sensor odd: Seen must be a date and time/);
    stored.delete('odd');
  });
});
