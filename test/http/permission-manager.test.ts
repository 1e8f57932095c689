import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';

const MANAGER = 'frappe.core.page.permission_manager.permission_manager';
const SITE = {
  doctypes: [
    {
      name: 'Claim',
      autoname: 'field:title',
      is_submittable: 1,
      fields: [
        { fieldname: 'title', label: 'Title', fieldtype: 'Data', reqd: 1 },
        { fieldname: 'salary', label: 'Salary', fieldtype: 'Int', permlevel: 1 },
      ],
      permissions: [
        { role: 'Clerk', read: 1, write: 1, create: 1 },
        { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 },
      ],
    },
    { name: 'Claim Row', istable: 1, fields: [{ fieldname: 'a', fieldtype: 'Data' }] },
  ],
  users: { ann: ['Clerk'], boss: ['System Manager'] },
};
const CLERK = { doctype: 'Claim', role: 'Clerk', permlevel: 0, if_owner: 0 };

describeEither('permission manager', SITE, (site) => {
  const call = (method: string, body: object, as?: string) =>
    site.request('POST', `/api/method/${method}`, { body, as });
  const save = (changes: object[], more: object = {}, as?: string) =>
    call('chancery.permissions.save', { changes, ...more }, as);
  const manage = (method: string, body: object, as?: string) => call(`${MANAGER}.${method}`, body, as);
  async function claim(as?: string) {
    const { doctypes } = await site.ok('GET', '/api/method/chancery.permissions.get?doctype=Claim', { as });
    return doctypes[0];
  }
  const rightsOf = async (role: string) =>
    (await claim()).permissions.find((row: { role: string }) => row.role === role)?.rights ?? null;
  const stored = async () => (await site.ok('GET', '/api/resource/Custom%20DocPerm')).length;
  const listing = async (as: string) => (await site.request('GET', '/api/resource/Claim', { as })).status;

  test('compound values in place of rights and levels are refused', async () => {
    const compound = { toString: 1 };
    for (const wrong of [{ rights: [compound] }, { rights: compound }, { was: [[compound]] }]) {
      const reply = await save([{ ...CLERK, ...wrong }]);
      assert.equal(reply.status, 417, reply.text);
      assert.match(reply.text, /There is no right/);
    }
    const reply = await save([{ ...CLERK, permlevel: compound, rights: ['read'] }]);
    assert.equal(reply.status, 417);
    assert.match(reply.text, /permlevel must be a whole number/);
    assert.equal((await manage('add', { parent: 'Claim', role: compound, permlevel: compound })).status, 417);
  });

  test('the matrix shows rows in force beside those of the definition, levels and users', async () => {
    const found = await site.ok('GET', '/api/method/chancery.permissions.get?doctype=Claim');
    const [shown] = found.doctypes;
    assert.deepEqual(shown.permissions, shown.shipped);
    assert.deepEqual(shown.permissions[0], {
      role: 'Clerk',
      permlevel: 0,
      if_owner: 0,
      rights: ['read', 'write', 'create'],
    });
    assert.equal(shown.customized, 0);
    assert.deepEqual(shown.levels, [{ permlevel: 1, fields: ['Salary'] }]);
    const clerk = found.roles.find((role: { name: string }) => role.name === 'Clerk');
    assert.deepEqual(clerk, { name: 'Clerk', disabled: 0, users: 1 });
    const all = await site.ok('GET', '/api/method/chancery.permissions.get');
    const names = all.doctypes.map((one: { name: string }) => one.name);
    assert.ok(names.includes('Claim') && !names.includes('Claim Row'));
    assert.equal(all.doctypes.find((one: { name: string }) => one.name === 'Custom DocPerm').customizable, 0);
  });

  test('one save changes rows at once, and its reverse restores the definition', async () => {
    const was = ['read', 'write', 'create'];
    const change = { ...CLERK, was, rights: ['read'] };
    const guests = { doctype: 'Claim', role: 'Guest', was: null, rights: ['read'] };
    assert.equal(await listing('ann'), 200);
    assert.deepEqual((await save([change, guests])).body.message, { saved: 1, warnings: [] });
    assert.deepEqual(await rightsOf('Clerk'), ['read']);
    assert.equal((await claim()).customized, 1);
    const made = await site.request('POST', '/api/resource/Claim', { as: 'ann', body: { title: 'x' } });
    assert.equal(made.status, 403, made.text);
    const again = await save([change]);
    assert.equal(again.body.exc_type, 'TimestampMismatchError', again.text);
    await save([
      { ...change, was: ['read'], rights: was },
      { ...guests, was: ['read'], rights: null },
    ]);
    assert.equal((await claim()).customized, 0);
    assert.equal(await stored(), 0, 'rows that repeat the definition are not kept');
  });

  test('a save that locks somebody out asks first', async () => {
    const { role: _, ...place } = CLERK;
    const none = [
      { ...place, role: 'Clerk', was: ['read', 'write', 'create'], rights: ['create'] },
      { ...place, role: 'System Manager', was: ['read', 'write', 'create', 'delete'], rights: ['create'] },
    ];
    const trial = await save(none, { dry_run: 1 }, 'boss');
    assert.deepEqual(
      trial.body.message.warnings.map(({ kind, rights }: { kind: string; rights: string[] }) => [
        kind,
        rights,
      ]),
      [
        ['nobody', ['read']],
        ['yourself', ['read', 'write', 'delete']],
      ],
    );
    assert.equal(trial.body.message.saved, 0);
    const refused = await save(none, {}, 'boss');
    assert.equal(refused.status, 417, refused.text);
    assert.match(refused.text, /Only Administrator could still read Claim/);
    assert.equal(await stored(), 0);
    assert.equal((await save(none, { confirm: 1 }, 'boss')).status, 200);
    assert.equal(await listing('boss'), 403);
    await manage('reset', { doctype: 'Claim' }, 'boss');
    assert.equal(await listing('boss'), 200);
    const users = { doctype: 'User', role: 'System Manager' };
    const rows = await site.ok('POST', `/api/method/${MANAGER}.get_permissions`, { body: users });
    assert.deepEqual(
      rows
        .map(({ permlevel, write }: { permlevel: number; write: number }) => [permlevel, write])
        .slice(0, 2),
      [
        [0, 1],
        [1, 1],
      ],
    );
    for (const permlevel of [0, 1]) {
      const lost = await manage('update', { ...users, permlevel, ptype: 'write', value: 0 });
      assert.match(lost.text, /System Managers would lose write on User/);
    }
  });

  test('the methods of Frappe change one thing at a time', async () => {
    const row = { doctype: 'Claim', role: 'Clerk' };
    assert.equal((await manage('add', { parent: 'Claim', role: 'Guest', permlevel: 0 })).status, 200);
    assert.deepEqual(await rightsOf('Guest'), ['read']);
    await manage('update', { ...row, ptype: 'report', value: 1 });
    assert.deepEqual(await rightsOf('Clerk'), ['read', 'write', 'create', 'report']);
    await manage('update', { ...row, ptype: 'if_owner', value: 1 });
    const own = (await claim()).permissions.find((one: { role: string }) => one.role === 'Clerk');
    assert.equal(own.if_owner, 1);
    assert.equal((await manage('remove', { ...row, if_owner: 1 })).status, 200);
    assert.equal(await rightsOf('Clerk'), null);
    assert.equal((await manage('remove', { ...row, if_owner: 1 })).status, 404);
    await manage('remove', { doctype: 'Claim', role: 'Guest' });
    const last = await manage('remove', { doctype: 'Claim', role: 'System Manager' });
    assert.match(last.text, /needs at least one permission rule/);
    const shipped = await site.ok('GET', `/api/method/${MANAGER}.get_standard_permissions?doctype=Claim`);
    assert.deepEqual(
      shipped.map((one: { role: string; write: number }) => [one.role, one.write]),
      [
        ['Clerk', 1],
        ['System Manager', 1],
      ],
    );
    assert.deepEqual(await site.ok('GET', `/api/method/${MANAGER}.get_users_with_role?role=Clerk`), [
      'ann@example.com',
    ]);
    await manage('reset', { doctype: 'Claim' });
    assert.equal(await stored(), 0);
    const lists = await site.ok('GET', `/api/method/${MANAGER}.get_roles_and_doctypes`);
    assert.ok(lists.roles.some(({ value }: { value: string }) => value === 'Clerk'));
  });

  test('a right without the one that it needs is refused, and so is a doctype without rows', async () => {
    const was = ['read', 'write', 'create'];
    const submit = await save([{ ...CLERK, was, rights: ['read', 'submit'] }]);
    assert.match(submit.text, /submit needs write/);
    for (const doctype of ['Claim Row', 'DocType', 'Nowhere']) {
      const refused = await save([{ ...CLERK, doctype, was: null, rights: ['read'] }]);
      assert.ok(refused.status === 417 || refused.status === 404, refused.text);
    }
    assert.equal((await save([{ ...CLERK, was, rights: ['fly'] }])).status, 417);
    assert.equal((await save([{ ...CLERK, was, rights: was }], {}, 'ann')).status, 403);
    assert.equal(await stored(), 0);
  });

  test('two saves at the same time do not copy the definition twice', async () => {
    const saves = ['report', 'export'].map((right) => manage('update', { ...CLERK, ptype: right, value: 1 }));
    for (const reply of await Promise.all(saves)) assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(await rightsOf('Clerk'), ['read', 'write', 'create', 'report', 'export']);
    assert.equal(await stored(), 2);
    await manage('reset', { doctype: 'Claim' });
  });

  test('an explanation lists its steps on request', async () => {
    const path = '/api/method/chancery.explain_permission?doctype=Claim&user=ann@example.com&steps=1';
    await site.ok('POST', '/api/resource/Claim', { body: { title: 'first' } });
    const steps = async (more: string) => (await site.ok('GET', path + more)).steps;
    assert.deepEqual(await steps('&right=delete'), [
      { rule: 'no_role', outcome: 'refuses', roles: ['System Manager'], custom: 0 },
    ]);
    const role = { rule: 'role', outcome: 'allows', role: 'Clerk', if_owner: 0, custom: 0 };
    const level = { rule: 'level', outcome: 'limits', fields: ['Salary'] };
    assert.deepEqual(await steps('&name=first'), [role, level]);
    const body = { user: 'ann@example.com', allow: 'Claim', for_value: 'other' };
    await site.ok('POST', '/api/resource/Claim', { body: { title: 'other' } });
    const { name } = await site.ok('POST', '/api/resource/User%20Permission', { body });
    assert.deepEqual(await steps('&name=first'), [
      role,
      {
        rule: 'user_permission',
        outcome: 'refuses',
        doctype: 'User Permission',
        name,
        allow: 'Claim',
        field: 'name',
        values: ['other'],
        or_empty: 0,
        value: 'first',
      },
    ]);
    const own = await site.ok('GET', `${path}&name=first`, { as: 'ann' });
    assert.deepEqual(own.steps, [], 'nobody learns about hidden documents');
    await site.ok('POST', '/api/method/frappe.share.add', {
      body: { doctype: 'Claim', name: 'first', user: 'ann@example.com' },
    });
    assert.equal((await steps('&name=first'))[1].rule, 'share');
    await site.ok('PUT', '/api/resource/Claim/other', { body: { docstatus: 1 } });
    const state = (await steps('&name=other&right=write')).find(
      (one: { rule: string }) => one.rule === 'docstatus',
    );
    assert.deepEqual(state, { rule: 'docstatus', outcome: 'limits', docstatus: 1 });
  });
});
