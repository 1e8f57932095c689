import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { defineApp, defineController } from '../../src/index.ts';
import { describeEither } from '../support/describe-site.ts';

const ANN = 'ann@example.com';

const app = defineApp({
  name: 'desks',
  controllers: {
    // Everybody's list, and every single document, by the same filters.
    Memo: defineController({
      rowFilter: (ctx) =>
        ctx.user.isAdministrator ? null : [['status', '=', 'Open'], 'or', ['owner', '=', ctx.user.name]],
      hasPermission: (_ctx, doc, right) => right !== 'delete' || doc.name !== 'kept',
    }),
    Slip: defineController({ rowFilter: () => [['title', '=', 'shown']] }),
  },
});

const SITE = {
  apps: [app],
  doctypes: [
    {
      name: 'Memo',
      autoname: 'field:title',
      fields: [
        { fieldname: 'title', fieldtype: 'Data' },
        { fieldname: 'status', fieldtype: 'Data' },
        { fieldname: 'about', fieldtype: 'Link', options: 'Memo' },
      ],
      permissions: [
        { role: 'Desk User', if_owner: 1, read: 1, export: 1 },
        { role: 'Reader', read: 1, write: 1, delete: 1 },
      ],
    },
    {
      name: 'Slip',
      autoname: 'autoincrement',
      is_submittable: 1,
      fields: [{ fieldname: 'title', fieldtype: 'Data' }],
      permissions: [{ role: 'Reader', read: 1, write: 1, create: 1, submit: 1 }],
    },
  ],
  users: { ann: ['Reader'], out: [] },
};

describeEither('permission hooks', SITE, (site) => {
  before(async () => {
    for (const [title, status] of [
      ['closed', 'Closed'],
      ['open', 'Open'],
      ['kept', 'Open'],
    ]) {
      await site.request('POST', '/api/resource/Memo', { body: { title, status } });
    }
  });

  const statusOf = async (verb: string, name: string, body?: object) =>
    (await site.request(verb, `/api/resource/Memo/${name}`, { as: 'ann', body })).status;
  async function explained(query: string, as?: string) {
    const path = `/api/method/chancery.explain_permission?doctype=Memo${query}`;
    const { allowed, decided_by: by, reason } = await site.ok('GET', path, as ? { as } : {});
    return { allowed, by, reason };
  }

  test('filters of a controller decide about lists and about one document', async () => {
    const list = await site.request('GET', '/api/resource/Memo?order_by=name', { as: 'ann' });
    assert.deepEqual(list.body.data, [{ name: 'kept' }, { name: 'open' }]);
    assert.deepEqual(
      [
        await statusOf('GET', 'open'),
        await statusOf('GET', 'closed'),
        await statusOf('PUT', 'closed', { status: 'Open' }),
      ],
      [200, 403, 403],
    );
    assert.equal(await statusOf('DELETE', 'closed'), 403);
    assert.equal(await statusOf('DELETE', 'kept'), 403, 'hasPermission refuses what filters allow');
  });

  test('filters of a controller decide about documents whose names are numbers', async () => {
    for (const title of ['shown', 'hidden']) await site.make('Slip', { title }, 'ann');
    assert.deepEqual(await site.did('GET', 'Slip', undefined, 'ann'), [{ name: 1 }]);
    const statuses = ['1', '2'].map(async (name) => {
      const reply = await site.request('GET', `/api/resource/Slip/${name}`, { as: 'ann' });
      return reply.status;
    });
    assert.deepEqual(await Promise.all(statuses), [200, 403]);
    // It has no name yet when the right to submit it is decided.
    const body = { title: 'shown', docstatus: 1 };
    const refused = await site.request('POST', '/api/resource/Slip', { as: 'ann', body });
    assert.equal(refused.body.exc_type, 'PermissionError', refused.text);
  });

  test('neither hook allows what no rule does, and both narrow shares', async () => {
    const share = { doctype: 'Memo', name: 'closed', user: 'out@example.com' };
    await site.request('POST', '/api/method/frappe.share.add', { body: share });
    await site.request('POST', '/api/method/frappe.share.add', { body: { ...share, name: 'open' } });
    const list = await site.request('GET', '/api/resource/Memo?order_by=name', { as: 'out' });
    assert.deepEqual(list.body.data, [{ name: 'open' }]);
  });

  test('an explanation names the rule', async () => {
    assert.deepEqual(await explained(`&user=Administrator&right=delete`), {
      allowed: true,
      by: 'Administrator',
      reason: 'Administrator passes every check',
    });
    const of = (more: string) => explained(`&user=${ANN}${more}`);
    assert.deepEqual(await of(''), {
      allowed: true,
      by: 'DocPerm',
      reason: 'A DocPerm gives read to Reader',
    });
    assert.equal((await of('&right=export')).allowed, true, 'on what is their own');
    assert.deepEqual(await of('&right=submit'), {
      allowed: false,
      by: 'DocPerm',
      reason: `No DocPerm of Memo gives submit to a role of ${ANN}, and nothing is shared`,
    });
    assert.deepEqual(await of('&right=export&name=open'), {
      allowed: false,
      by: 'DocPerm',
      reason:
        'A DocPerm gives export to Desk User on documents of their own, but Memo open belongs to Administrator',
    });
    assert.equal((await of('&name=closed')).by, 'rowFilter');
    assert.equal((await of('&name=kept&right=delete')).by, 'hasPermission');
    assert.equal((await of('&name=none')).by, 'missing');
    assert.equal((await explained('&user=out@example.com&name=open')).by, 'DocShare');
    const body = { user: ANN, allow: 'Memo', for_value: 'kept' };
    const permission = await site.request('POST', '/api/resource/User%20Permission', { body });
    assert.deepEqual(await of('&name=open'), {
      allowed: false,
      by: 'User Permission',
      reason: 'name is open; User Permissions of Memo ask for kept',
    });
    await site.request('DELETE', `/api/resource/User%20Permission/${permission.body.data.name}`);
  });

  test('who asks about themselves learns nothing of what is kept from them', async () => {
    const hidden = await explained('&name=closed', 'ann');
    const missing = await explained('&name=nowhere', 'ann');
    assert.deepEqual({ ...hidden, reason: '' }, { ...missing, reason: '' });
    assert.equal(hidden.reason.replace('closed', 'nowhere'), missing.reason);
    const other = await site.request(
      'GET',
      '/api/method/chancery.explain_permission?doctype=Memo&user=Administrator',
      { as: 'ann' },
    );
    assert.equal(other.status, 403);
    const guest = await site.request('GET', '/api/method/chancery.explain_permission?doctype=Memo', {
      as: null,
    });
    assert.ok(guest.status === 403 || guest.status === 401, guest.text);
  });
});
