/** A copy by `fetch_from` through a Dynamic Link shows its author only what a list shows them anyway. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';

const SOURCES = ['title', 'plain', 'hidden', 'pin', 'owner'];
/** Role, and what its user may do with a Vault. */
const ROLES = {
  Selector: [{ select: 1 }],
  Reader: [{ read: 1 }],
  'Own Reader': [{ read: 1, create: 1, if_owner: 1 }, { select: 1 }],
  'Level Reader': [{ read: 1 }, { read: 1, permlevel: 1 }],
} as const;

const data = (fieldname: string, more: object = {}) => ({ fieldname, fieldtype: 'Data', ...more });
const VAULT = {
  name: 'Vault',
  autoname: 'Prompt',
  title_field: 'title',
  fields: [
    data('title'),
    data('plain'),
    data('hidden', { permlevel: 1 }),
    { fieldname: 'pin', fieldtype: 'Password' },
  ],
  permissions: Object.entries(ROLES).flatMap(([role, rows]) => rows.map((row) => ({ role, ...row }))),
};
const copies = [
  data('kind'),
  { fieldname: 'vault', fieldtype: 'Dynamic Link', options: 'kind' },
  ...SOURCES.map((source) => data(`of_${source}`, { fetch_from: `vault.${source}` })),
];
const ROW = { name: 'Copy Row', istable: 1, fields: copies };
const COPY = {
  name: 'Copy',
  fields: [...copies, { fieldname: 'rows', fieldtype: 'Table', options: 'Copy Row' }],
  permissions: Object.keys(ROLES).map((role) => ({ role, read: 1, write: 1, create: 1 })),
};

describeEither('copies through a Dynamic Link', { doctypes: [VAULT, ROW, COPY] }, (site) => {
  const keys = new Map<string, string>();
  const values = (name: string) => ({
    title: `title ${name}`,
    plain: `plain ${name}`,
    hidden: `hidden ${name}`,
  });
  before(async () => {
    for (const role of Object.keys(ROLES)) {
      keys.set(role, await site.createUser(`${role.replace(' ', '-').toLowerCase()}@example.com`, [role]));
    }
    for (const name of ['one', 'two']) {
      await site.ok('POST', '/api/resource/Vault', { body: { name, ...values(name), pin: '1234' } });
    }
    const body = { name: 'own', ...values('own') };
    await site.ok('POST', '/api/resource/Vault', { body, as: keys.get('Own Reader') });
  });

  const link = (vault: string) => ({ kind: 'Vault', vault });
  const copied = (holder: Record<string, unknown>) =>
    Object.fromEntries(SOURCES.map((source) => [source, holder[`of_${source}`] ?? null]));
  /** What lists show of a Vault, each field by itself; null for nothing. */
  async function shown(name: string, as: string | undefined) {
    const found: Record<string, unknown> = {};
    for (const source of SOURCES) {
      const query = new URLSearchParams({
        fields: JSON.stringify([source]),
        filters: JSON.stringify({ name }),
      });
      const reply = await site.request('GET', `/api/resource/Vault?${query}`, { as });
      found[source] =
        reply.status === 200 && source !== 'pin' ? (reply.body.data[0]?.[source] ?? null) : null;
    }
    return found;
  }

  for (const role of Object.keys(ROLES)) {
    test(`a ${role} copies what a list shows, into documents and rows`, async () => {
      const as = keys.get(role);
      for (const name of ['one', 'own']) {
        const body = { ...link(name), rows: [link(name)] };
        const made = await site.ok('POST', '/api/resource/Copy', { body, as });
        const expected = await shown(name, as);
        assert.deepEqual(copied(made), expected);
        assert.deepEqual(copied(made.rows[0]), expected);
      }
    });
  }

  test('a list shows different things to each of them', async () => {
    const all = await Promise.all([...keys.values()].map((as) => shown('one', as)));
    assert.equal(new Set(all.map((one) => JSON.stringify(one))).size, 3);
  });

  test('the copy of an unchanged link stays whoever saves it, and that of a changed link goes', async () => {
    const { name } = await site.ok('POST', '/api/resource/Copy', { body: link('one') });
    const as = keys.get('Selector');
    const path = `/api/resource/Copy/${name}`;
    const kept = await site.ok('PUT', path, { body: link('one'), as });
    assert.deepEqual([kept.of_title, kept.of_plain, kept.of_hidden], Object.values(values('one')));
    const moved = await site.ok('PUT', path, { body: { vault: 'two' }, as });
    assert.deepEqual([moved.of_title, moved.of_plain, moved.of_hidden], ['title two', undefined, undefined]);
    const again = await site.ok('PUT', path, { body: { of_hidden: 'forged' }, as });
    assert.equal(again.of_hidden, undefined);
    const back = await site.ok('PUT', path, { body: { vault: 'one' } });
    assert.deepEqual([back.of_title, back.of_plain, back.of_hidden], Object.values(values('one')));
  });

  test('a value that the author sends is no copy', async () => {
    const as = keys.get('Selector');
    const forged = { of_hidden: 'forged' };
    const made = await site.ok('POST', '/api/resource/Copy', { body: { ...link('one'), ...forged }, as });
    assert.equal(made.of_hidden, undefined);
    const path = `/api/resource/Copy/${made.name}`;
    const moved = await site.ok('PUT', path, { body: { ...link('two'), ...forged }, as });
    assert.equal(moved.of_hidden, undefined);
    await site.ok('PUT', path, { body: { of_plain: 'x' } });
    const kept = await site.ok('PUT', path, { body: forged, as });
    assert.equal(kept.of_hidden, values('two').hidden);
  });
});
