/** A site as Frappe sends it, where that differs from Chancery: microseconds, nulls, side columns, odd values. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importSite } from '../../src/frappe/remote/import-site.ts';
import { openRemote, planRemote } from '../../src/frappe/remote/open-remote.ts';
import { RemoteSite } from '../../src/frappe/remote/remote-site.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { describeEither } from '../support/describe-site.ts';
import { type FrappeRow, startFrappeSite } from '../support/frappe-site.ts';
import { startTestSite } from '../support/site.ts';

const TIMES = { owner: 'ann@example.com', creation: '2019-05-01 08:00:00', modified_by: 'ann@example.com' };
const field = (parent: string, fieldname: string, fieldtype: string, options: string | null = null) => ({
  ...{ name: `${parent}-${fieldname}`, parent, parenttype: 'DocType', parentfield: 'fields' },
  ...{ fieldname, fieldtype, options, label: fieldname, idx: 1 },
});
const doctype = (name: string, more: object = {}) => ({
  ...{ name, module: 'Selling', custom: 0, istable: 0, issingle: 0, is_virtual: 0, is_submittable: 0 },
  ...{ autoname: 'prompt', ...more },
});

const TABLES: Readonly<Record<string, readonly FrappeRow[]>> = {
  DocType: [
    doctype('Offer', { is_submittable: 1 }),
    doctype('Offer Line', { istable: 1 }),
    doctype('Offer Settings', { issingle: 1 }),
    ...['User', 'Role', 'Deleted Document', 'Error Log'].map((name) => doctype(name)),
  ],
  DocField: [
    field('Offer', 'customer', 'Data'),
    field('Offer', 'total', 'Currency'),
    field('Offer', 'valid', 'Date'),
    field('Offer', 'lines', 'Table', 'Offer Line'),
    field('Offer Line', 'qty', 'Float'),
    field('Offer Settings', 'prefix', 'Data'),
  ],
  DocPerm: [
    {
      name: 'p1',
      parent: 'Offer',
      parenttype: 'DocType',
      parentfield: 'permissions',
      role: 'Seller',
      read: 1,
    },
  ],
  Offer: [
    {
      ...{
        name: 'O-1',
        ...TIMES,
        modified: '2020-01-01 10:00:00.123456',
        docstatus: 2,
        idx: 3,
        customer: 'Ann',
      },
      ...{
        total: 1234.5,
        valid: '2020-02-30',
        _user_tags: ',red',
        _liked_by: '["ann@example.com"]',
        _comments: null,
      },
    },
    {
      name: 'O-2',
      ...TIMES,
      modified: '2020-01-01 10:00:00.123456',
      docstatus: 0,
      idx: 0,
      customer: 'Bob',
      valid: '2020-03-01',
    },
  ],
  'Offer Line': [
    { name: 'l2', parent: 'O-2', parenttype: 'Offer', parentfield: 'lines', idx: 2, qty: 2, ...TIMES },
    { name: 'l1', parent: 'O-2', parenttype: 'Offer', parentfield: 'lines', idx: 1, qty: 0.5, ...TIMES },
  ],
  'Offer Settings': [{ name: 'Offer Settings', prefix: 'O-' }],
  User: ['Administrator', 'Guest', 'ann@example.com'].map((name) => ({
    ...{ name, email: name, first_name: name, enabled: 1, ...TIMES, modified: '2020-01-01 00:00:00' },
  })),
  'Has Role': [
    {
      name: 'h1',
      parent: 'ann@example.com',
      parenttype: 'User',
      parentfield: 'roles',
      role: 'Seller',
      idx: 1,
    },
  ],
  Role: ['Seller', 'System Manager'].map((name) => ({
    name,
    role_name: name,
    modified: '2020-01-01 00:00:00',
  })),
  'Deleted Document': [],
};

const start = async (engine: Parameters<typeof startTestSite>[0]) => {
  const frappe = await startFrappeSite();
  for (const [name, rows] of Object.entries(TABLES)) frappe.tables.set(name, structuredClone([...rows]));
  const to = await startTestSite(engine, { config: { timestampPrecision: 'microseconds' } });
  return { frappe, to, stop: async () => void (await Promise.all([frappe.stop(), to.stop()])) };
};

describeEither('a site as Frappe sends it', start, (pair) => {
  const offer = (name: string) => pair.to.did('GET', `Offer/${name}`);

  test('comes, values that do not fit are named, and later changes empty fields', async () => {
    const { frappe, to } = pair;
    const options = { origin: frappe.url, key: frappe.key, clock: systemClock(), random: systemRandom() };
    const source = await openRemote(new RemoteSite(options));
    const plan = planRemote(source, null);
    assert.ok(plan.staysBehind.some(({ table, reason }) => table === 'Error Log' && /log/.test(reason)));
    const { signal } = new AbortController();
    const given = { site: to.site, source, signal, timeZone: 'UTC', tell: () => {} };
    const { load, changes, follower } = (await importSite(given, false)) ?? assert.fail('aborted');
    // 30 February is no date.
    assert.equal(load.counts.failed, 0);
    assert.deepEqual(
      changes.map(({ doctype, field, count, examples }) => [doctype, field, count, ...examples]),
      [['Offer', 'valid', 1, 'O-1']],
    );
    const { modified, owner, total, lines } = await offer('O-2');
    assert.deepEqual([modified, owner, total], ['2020-01-01 10:00:00.123456', 'ann@example.com', 0]);
    assert.deepEqual(
      lines.map(({ name, qty }: FrappeRow) => [name, qty]),
      [
        ['l1', 0.5],
        ['l2', 2],
      ],
    );
    assert.equal((await to.did('GET', 'Offer Settings/Offer Settings')).prefix, 'O-');
    assert.equal((await to.did('GET', 'User/ann@example.com')).roles[0].role, 'Seller');

    const [first, second] = frappe.tables.get('Offer') ?? [];
    Object.assign(first ?? {}, { valid: '2020-02-28', modified: '2020-01-02 10:00:00' });
    Object.assign(second ?? {}, { valid: null, customer: null, modified: '2020-01-02 10:00:00.000001' });
    frappe.tables.set('Offer Line', []);
    assert.deepEqual((await follower.poll()).failed, 0);
    const tagged = await offer('O-1');
    assert.deepEqual(
      [tagged.docstatus, tagged.idx, tagged.total, tagged.valid],
      [2, 3, 1234.5, '2020-02-28'],
    );
    assert.deepEqual([tagged._user_tags, tagged._liked_by], [',red', '["ann@example.com"]']);
    const emptied = await offer('O-2');
    assert.deepEqual([emptied.valid, emptied.customer, emptied.lines], [undefined, undefined, []]);
    const compared = await follower.compare();
    assert.ok(compared.isAgreed, JSON.stringify([...compared.counts, ...compared.refused, compared.stored]));
  });
});
