/** The right to select: to link to documents and to pick them from lists, and nothing else. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const fields = [
  { fieldname: 'full_name', fieldtype: 'Data' },
  { fieldname: 'city', fieldtype: 'Data' },
  { fieldname: 'code', fieldtype: 'Data', permlevel: 1 },
  { fieldname: 'salary', fieldtype: 'Currency' },
  { fieldname: 'boss', fieldtype: 'Link', options: 'Person' },
  { fieldname: 'disabled', fieldtype: 'Check' },
];
const PERSON = {
  name: 'Person',
  autoname: 'prompt',
  title_field: 'full_name',
  search_fields: 'city, code',
  fields,
  permissions: [
    { role: 'System Manager', read: 1, write: 1, create: 1 },
    { role: 'Picker', select: 1 },
    { role: 'Clerk', select: 1 },
    { role: 'Clerk', read: 1, if_owner: 1, create: 1 },
    { role: 'Own Picker', select: 1, if_owner: 1 },
  ],
};

describeEither('the right to select', { doctypes: [PERSON] }, (site) => {
  const keys: Record<string, string> = {};
  before(async () => {
    for (const [user, role] of [
      ['picker', 'Picker'],
      ['clerk', 'Clerk'],
      ['own', 'Own Picker'],
    ] as const) {
      keys[user] = await site.createUser(`${user}@example.com`, [role]);
    }
    const person = (__newname: string, more: object) => made('Person', { __newname, ...more });
    await person('P1', { full_name: 'Ada', city: 'Bonn', code: 'x1', salary: 10 });
    await person('P2', { full_name: 'Bob', city: 'Cologne', salary: 20, boss: 'P1' });
    await person('P3', { full_name: 'Off', city: 'Bonn', disabled: 1 });
    const own = { __newname: 'P4', full_name: 'Cid', city: 'Ulm', salary: 40 };
    await made('Person', own, keys['clerk']);
  });

  async function made(doctype: string, body: object, as?: string): Promise<void> {
    await site.ok('POST', `/api/resource/${doctype}`, { body, as });
  }
  const get = (path: string, user: string): Promise<TestReply> =>
    site.request('GET', path, { as: keys[user] ?? null });
  const list = (query: Record<string, unknown>, user = 'picker'): Promise<TestReply> => {
    const text = Object.entries(query).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    return get(`/api/resource/Person?${new URLSearchParams(text)}`, user);
  };
  const call = async (method: string, args: Record<string, string>, user = 'picker') => {
    const reply = await get(`/api/method/${method}?${new URLSearchParams(args)}`, user);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.message;
  };

  test('lists and counts names, titles and search fields, of readable permlevels', async () => {
    const all = await list({ fields: ['*'], order_by: 'name', filters: { disabled: 0 } });
    assert.deepEqual(all.body.data, [
      { name: 'P1', full_name: 'Ada', city: 'Bonn', disabled: 0 },
      { name: 'P2', full_name: 'Bob', city: 'Cologne', disabled: 0 },
      { name: 'P4', full_name: 'Cid', city: 'Ulm', disabled: 0 },
    ]);
    assert.equal((await list({})).body.data.length, 4);
    const named = await list({ fields: ['name', 'full_name'], filters: { city: ['like', 'B%'] } });
    assert.equal(named.body.data.length, 2);
    assert.equal(await call('frappe.client.get_count', { doctype: 'Person' }), 4);
    const value = { doctype: 'Person', fieldname: 'city', filters: 'P1' };
    assert.deepEqual(await call('frappe.client.get_value', value), { city: 'Bonn' });
  });

  test('nothing else can be selected, filtered, ordered, grouped or followed', async () => {
    for (const query of [
      { fields: ['salary'] },
      { fields: ['code'] },
      { fields: ['owner'] },
      { fields: ['boss.full_name'] },
      { fields: ['boss'], expand: ['boss'] },
      { fields: ['sum(salary) as s'] },
      { filters: { salary: ['>', 15] } },
      { or_filters: [['Person', 'salary', '>', 15]] },
      { filters: { 'boss.city': 'Bonn' } },
      { order_by: 'salary' },
      { fields: ['count(name) as n'], group_by: 'salary' },
    ]) {
      const reply = await list(query);
      assertEnvelope(reply, 'DataError');
    }
    const args = new URLSearchParams({ doctype: 'Person', filters: '{"salary":10}' });
    assertEnvelope(await get(`/api/method/frappe.client.get_count?${args}`, 'picker'), 'DataError');
  });

  test('a document cannot be opened, whether it is there or not', async () => {
    for (const name of ['P1', 'absent']) {
      assertEnvelope(await get(`/api/resource/Person/${name}`, 'picker'), 'PermissionError');
      const getdoc = `/api/method/frappe.desk.form.load.getdoc?doctype=Person&name=${name}`;
      assertEnvelope(await get(getdoc, 'picker'), 'PermissionError');
    }
  });

  test('search and links reach what may be selected, also past what may be read', async () => {
    const found = (user: string, more = {}) =>
      call('frappe.desk.search.search_link', { doctype: 'Person', txt: '', ...more }, user);
    assert.deepEqual(await found('picker', { txt: 'bon' }), [
      { value: 'P1', description: 'Bonn', label: 'Ada' },
    ]);
    assert.deepEqual(await found('picker', { txt: 'x1', searchfield: 'salary' }), []);
    const values = (rows: { value: string }[]) => rows.map(({ value }) => value).sort();
    assert.deepEqual(values(await found('clerk')), ['P1', 'P2', 'P4']);
    const listed = async (query: Record<string, unknown>) =>
      values((await list(query, 'clerk')).body.data.map(({ name }: { name: string }) => ({ value: name })));
    assert.deepEqual(await listed({ fields: ['name', 'full_name'] }), ['P1', 'P2', 'P3', 'P4']);
    assert.deepEqual(await listed({ filters: { city: 'Bonn' } }), ['P1', 'P3']);
    assert.equal(await call('frappe.client.get_count', { doctype: 'Person' }, 'clerk'), 4);
    for (const query of [{ fields: ['*'] }, { filters: { salary: ['>', 0] } }, { order_by: 'salary' }])
      assert.deepEqual(await listed(query), ['P4'], JSON.stringify(query));
    assert.deepEqual((await list({ fields: ['name', 'salary'] }, 'clerk')).body.data, [
      { name: 'P4', salary: 40 },
    ]);
    assert.deepEqual(await found('own'), []);
    const link = (docname: string, user: string, more = {}) =>
      call('frappe.client.validate_link', { doctype: 'Person', docname, ...more }, user);
    assert.deepEqual(await link('P1', 'picker', { fields: '["city"]' }), { name: 'P1', city: 'Bonn' });
    assert.deepEqual(await link('P4', 'clerk', { fields: '["salary"]' }), { name: 'P4', salary: 40 });
    assert.deepEqual(await link('P1', 'clerk', { fields: '["salary"]' }), { name: 'P1' });
    assert.deepEqual(await link('absent', 'picker'), { name: null });
    const search = await get('/api/v2/doctype/Person/search?txt=bon', 'picker');
    assert.deepEqual(search.body.data, [{ value: 'P1', description: 'Bonn', label: 'Ada' }]);
  });
});
