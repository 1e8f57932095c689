/** Who may create, change and delete rows by an address of their own: the rights to the parent decide. */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';

const LINE = {
  name: 'Secret Line',
  istable: 1,
  fields: [
    { fieldname: 'item', fieldtype: 'Data' },
    { fieldname: 'price', fieldtype: 'Int', permlevel: 1, default: '7' },
  ],
};
const ALL = { read: 1, write: 1, create: 1, delete: 1 };
const BILL = {
  name: 'Secret Bill',
  autoname: 'prompt',
  fields: [
    { fieldname: 'region', fieldtype: 'Link', options: 'Region' },
    { fieldname: 'lines', fieldtype: 'Table', options: 'Secret Line' },
    { fieldname: 'inner', fieldtype: 'Table', options: 'Secret Line', permlevel: 1 },
  ],
  permissions: [
    { role: 'System Manager', ...ALL },
    { role: 'System Manager', permlevel: 1, read: 1, write: 1 },
    { role: 'Writer', ...ALL },
    { role: 'Reader', read: 1 },
    { role: 'Owner', ...ALL, if_owner: 1 },
    { role: 'Seer', ...ALL },
    { role: 'Seer', permlevel: 1, read: 1 },
  ],
};
const OTHER = {
  name: 'Own Bill',
  fields: [{ fieldname: 'lines', fieldtype: 'Table', options: 'Secret Line' }],
  permissions: [{ role: 'All', ...ALL }],
};
const REGION = { name: 'Region', autoname: 'prompt', fields: [], permissions: [{ role: 'All', read: 1 }] };
const USERS = {
  writer: ['Writer'],
  reader: ['Reader'],
  owner: ['Owner'],
  visitor: ['Owner', 'Reader'],
  seer: ['Seer'],
  north: ['Writer'],
  shared: [],
  stranger: [],
};

/** The answers to create, update and delete in `lines`, then in `inner`, the table of level 1. */
const CALLERS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  writer: [
    [200, 200, 202],
    [403, 404, 404],
  ],
  reader: [
    [403, 403, 403],
    [403, 404, 404],
  ],
  owner: [
    [403, 404, 404],
    [403, 404, 404],
  ],
  visitor: [
    [403, 403, 403],
    [403, 404, 404],
  ],
  // Sees the table above level 0, but may not change it.
  seer: [
    [200, 200, 202],
    [403, 403, 403],
  ],
  // A User Permission hides the document.
  north: [
    [403, 404, 404],
    [403, 404, 404],
  ],
  shared: [
    [200, 200, 202],
    [403, 404, 404],
  ],
  stranger: [
    [403, 404, 404],
    [403, 404, 404],
  ],
};

const DOCTYPES = [LINE, REGION, BILL, OTHER];

describeEither('rows by their own address', { doctypes: DOCTYPES, users: USERS }, (site) => {
  const place = (parentfield: string) => ({ parenttype: 'Secret Bill', parent: 'bill', parentfield });
  const send = (as: string | null, verb: string, name: string, body?: object) =>
    site.request(verb, `/api/resource/Secret%20Line${name === '' ? '' : `/${name}`}`, { as, body });
  const bill = () => site.did('GET', 'Secret%20Bill/bill');

  before(async () => {
    for (const name of ['North', 'South']) await site.make('Region', { name });
    const lines = [{ item: 'kept', price: 9 }];
    await site.make('Secret Bill', { name: 'bill', region: 'South', lines, inner: [{ item: 'inner' }] });
    await site.make('User Permission', { user: 'north@example.com', allow: 'Region', for_value: 'North' });
    const share = { doctype: 'Secret Bill', name: 'bill', user: 'shared@example.com', write: 1 };
    await site.call('frappe.share.add', share);
  });

  for (const [caller, tables] of Object.entries(CALLERS)) {
    test(`${caller}: ${tables.join(' and ')}`, async () => {
      for (const [at, table] of ['lines', 'inner'].entries()) {
        const first = await bill();
        const target = (await site.make('Secret Line', { ...place(table), item: 'target' })).name;
        const replies = [
          await send(caller, 'POST', '', { ...place(table), item: 'new', price: 1 }),
          await send(caller, 'PUT', target, { item: 'changed', price: 1 }),
          await send(caller, 'DELETE', target),
        ];
        const statuses = replies.map(({ status }) => status);
        assert.deepEqual(statuses, tables[at], replies.map(({ text }) => text).join('\n'));
        const now = await bill();
        const made = replies[0]?.body.data?.name;
        const kept = now[table].filter(({ name }: { name: string }) => name !== made && name !== target);
        assert.deepEqual(
          kept.map(({ item, price }: Record<string, unknown>) => [item, price]),
          first[table].map(({ item, price }: Record<string, unknown>) => [item, price]),
        );
        assert.equal(
          now[table].some(({ name }: { name: string }) => name === target),
          statuses[2] !== 202,
        );
        for (const row of now[table]) assert.notEqual(row.price, 1, 'a field above the level');
        // The error of a hidden row is that of a missing one.
        for (const [index, verb] of ['PUT', 'DELETE'].entries()) {
          const reply = replies[index + 1];
          if (reply?.status !== 404) continue;
          const missing = await send(caller, verb, 'missing', { item: 'x' });
          assert.equal(missing.text.replaceAll('missing', target), reply.text);
        }
        for (const name of [target, made])
          if (name) await site.request('DELETE', `/api/resource/Secret%20Line/${name}`);
      }
    });
  }

  test('the parent of a stored row is not taken from the request', async () => {
    const own = await site.make('Own Bill', { lines: [{ item: 'mine' }] }, 'stranger');
    const { lines } = await bill();
    const claimed = { parenttype: 'Own Bill', parent: own.name, parentfield: 'lines', item: 'taken' };
    for (const verb of ['PUT', 'DELETE']) {
      assert.equal((await send('stranger', verb, lines[0].name, claimed)).status, 404);
    }
    for (const method of ['set_value', 'delete', 'save']) {
      const args = { doctype: 'Secret Line', name: lines[0].name, fieldname: claimed };
      const reply = await site.rpc(
        `frappe.client.${method}`,
        method === 'save' ? { doc: { ...args, ...claimed } } : args,
        'stranger',
      );
      assert.equal(reply.status, 404, reply.text);
    }
    const moved = { ...place('lines'), item: 'still mine' };
    assert.equal((await send('stranger', 'PUT', own.lines[0].name, moved)).status, 200);
    const [row] = (await site.did('GET', `Own%20Bill/${own.name}`)).lines;
    assert.deepEqual([row.item, row.parent, row.parenttype], ['still mine', own.name, 'Own Bill']);
    assert.deepEqual((await bill()).lines, lines);
  });

  test('a user without a right to the parent does not learn which tables it has', async () => {
    const insert = (parentfield: string) =>
      site.rpc(
        'frappe.client.insert',
        { doc: { doctype: 'Secret Line', ...place(parentfield) } },
        'stranger',
      );
    const answers = await Promise.all(['lines', 'region', 'missing'].map(insert));
    for (const { status, text } of answers) {
      assert.equal(status, 403);
      assert.equal(text, answers[0]?.text);
    }
  });

  test('a user who may only read the parent gets 403, whatever state they expect', async () => {
    const [row] = (await bill()).lines;
    const headers = { 'if-match': '"999"' };
    for (const [verb, body] of [
      ['PUT', { item: 'x', modified: '2020-01-01 00:00:00' }],
      ['PUT', { item: 'x', name: 'another' }],
      ['DELETE', undefined],
    ] as const) {
      const path = `/api/resource/Secret%20Line/${row.name}`;
      assert.equal((await site.request(verb, path, { as: 'visitor', body, headers })).status, 403);
    }
  });

  test('without credentials there is no row to change', async () => {
    const { lines } = await bill();
    for (const verb of ['PUT', 'DELETE']) {
      for (const name of [lines[0].name, 'missing']) {
        assert.ok([401, 403].includes((await send(null, verb, name, { item: 'x' })).status));
      }
    }
  });
});
