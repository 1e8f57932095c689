/** `report`, `export` and `import` are answered for like any right, and guard no list. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';

const GUARDED = ['report', 'export', 'import'];

describeEither('report, export and import', {}, (site) => {
  const users = new Map<string, string>();
  before(async () => {
    const all = { read: 1, create: 1, report: 1, export: 1, import: 1 };
    const body = {
      name: 'Parcel',
      module: 'Test',
      custom: 1,
      fields: [{ fieldname: 'weight', fieldtype: 'Int', label: 'Weight' }],
      permissions: [
        { role: 'Clerk', read: 1 },
        { role: 'Analyst', ...all },
        { role: 'Sender', ...all, if_owner: 1 },
      ],
    };
    for (const role_name of ['Clerk', 'Analyst', 'Sender']) {
      await site.request('POST', '/api/resource/Role', { body: { role_name } });
    }
    await site.make('DocType', body);
    for (const role of ['Clerk', 'Analyst', 'Sender']) {
      users.set(role, await site.createUser(`${role.toLowerCase()}@example.com`, [role]));
    }
    await site.request('POST', '/api/resource/Parcel', { body: { weight: 3 } });
  });

  async function rightsOf(role: string, name: string): Promise<string[]> {
    const as = users.get(role) ?? null;
    const rights: string[] = [];
    for (const perm_type of GUARDED) {
      const query = new URLSearchParams({ doctype: 'Parcel', docname: name, perm_type });
      const reply = await site.ok('GET', `/api/method/frappe.client.has_permission?${query}`, { as });
      if (reply.has_permission) rights.push(perm_type);
    }
    return rights;
  }

  test('who has them hears so, about documents of theirs', async () => {
    const [{ name }] = await site.ok('GET', '/api/resource/Parcel');
    const made = { as: users.get('Sender') ?? null, body: { weight: 5 } };
    const own = (await site.ok('POST', '/api/resource/Parcel', made)).name;
    assert.deepEqual(await rightsOf('Clerk', name), []);
    assert.deepEqual(await rightsOf('Analyst', name), GUARDED);
    assert.deepEqual(await rightsOf('Sender', name), []);
    assert.deepEqual(await rightsOf('Sender', own), GUARDED);
  });

  test('lists, sums and groups ask for the right to read', async () => {
    for (const [path, status] of [
      ['/api/resource/Parcel?limit_page_length=500', 200],
      ['/api/resource/Parcel?fields=["weight","count(name) as n"]&group_by=weight', 200],
      ['/api/resource/Parcel?fields=["sum(weight) as total"]', 200],
      ['/api/resource/Parcel?limit_page_length=0', 403],
    ] as const) {
      for (const role of ['Clerk', 'Analyst']) {
        const reply = await site.request('GET', path, { as: users.get(role) ?? null });
        assert.equal(reply.status, status, `${role} ${path}: ${reply.text}`);
      }
    }
  });
});
