/** What a User document is: names, whose it is, roles by profile, and what it asks of signing in. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const PASSWORD = 'a long enough pass phrase';

for (const engine of engineOf('user records')) {
  describe(`user records on ${engine}`, () => {
    let site: TestSite;
    let ann: string;
    before(async () => {
      site = await startTestSite(engine);
      ann = await site.createUser('ann@example.com', []);
      await site.createUser('bob@example.com', []);
      for (const role_name of ['Clerk', 'Driver', 'Visitor'])
        await insert('Role', { role_name, desk_access: role_name === 'Visitor' ? 0 : 1 });
    });
    after(() => site.stop());

    const ok = (reply: TestReply) => {
      assert.ok(reply.status === 200 || reply.status === 202, reply.text);
      return reply.body.data;
    };
    const insert = async (doctype: string, body: object) =>
      ok(await site.request('POST', `/api/resource/${encodeURIComponent(doctype)}`, { body }));
    const user = (method: string, name: string, body?: object, as?: string) =>
      site.request(method, `/api/resource/User/${encodeURIComponent(name)}`, {
        ...(body && { body }),
        ...(as && { as }),
      });
    const rolesOf = async (name: string) =>
      ok(await user('GET', name))
        .roles.map((row: { role: string }) => row.role)
        .sort();
    const login = (usr: string) =>
      site.request('POST', '/api/method/login', { as: null, body: { usr, pwd: PASSWORD } });

    test('addresses that differ only in case, width or composition are the same user', async () => {
      await insert('User', { email: ' Zoë@Example.com ', first_name: 'Z' });
      assert.equal(ok(await user('GET', 'zoë@example.com')).email, 'zoë@example.com');
      for (const email of [
        'ZOË@EXAMPLE.COM',
        'zoe\u0308@example.com',
        'ｚoë@example.com',
        'zoë@ｅxample.com',
      ]) {
        const reply = await site.request('POST', '/api/resource/User', { body: { email, first_name: 'Z' } });
        assertEnvelope(reply, 'DuplicateEntryError');
      }
      ok(await user('PUT', 'zoë@example.com', { new_password: PASSWORD }));
      assert.equal((await login('ＺOE\u0308@example.com')).status, 200);
    });

    test('a new user gets a username from the first name, unless it is taken', async () => {
      const made = async (email: string, first_name: string, more = {}) =>
        (await insert('User', { email, first_name, ...more })).username;
      assert.equal(await made('mary1@example.com', 'Mary-Ann Lee'), 'mary_ann_lee');
      // Two at once, too: one of them stays without.
      const twins = ['twin1@example.com', 'twin2@example.com'].map((email) => made(email, 'Twin'));
      assert.deepEqual((await Promise.all(twins)).sort(), ['twin', undefined]);
      assert.equal(await made('mary2@example.com', 'mary ann-lee'), undefined);
      assert.equal(await made('mary3@example.com', 'Mary', { username: 'Chosen' }), 'Chosen');
      for (const first_name of ['Administrator', 'guest', 'zoe@example.com'])
        assert.equal(await made(`${first_name.slice(0, 3)}0@example.com`, first_name), undefined);
      const taken = { email: 'mary4@example.com', first_name: 'M', username: 'Chosen' };
      assertEnvelope(
        await site.request('POST', '/api/resource/User', { body: taken }),
        'UniqueValidationError',
      );
      // A later change of the first name leaves it.
      const changed = ok(await user('PUT', 'mary1@example.com', { first_name: 'May' }));
      assert.deepEqual([changed.first_name, changed.username], ['May', 'mary_ann_lee']);
      // It does not sign in, unless System Settings say so.
      ok(await user('PUT', 'mary1@example.com', { new_password: PASSWORD }));
      assert.equal((await login('mary_ann_lee')).status, 401);
      assert.equal((await login('mary1@example.com')).status, 200);
    });

    test('the first created user has no special rights', async () => {
      assert.deepEqual(await rolesOf('ann@example.com'), []);
      assert.equal((await site.request('GET', '/api/resource/Role', { as: ann })).status, 403);
    });

    test('users read their own record, and nobody else’s', async () => {
      const own = ok(await user('GET', 'ann@example.com', undefined, ann));
      assert.equal(own.owner, 'ann@example.com');
      assert.deepEqual(own.roles, []);
      for (const hidden of ['user_type', 'api_key', 'restrict_ip']) assert.ok(!(hidden in own), hidden);
      const list = ok(await site.request('GET', '/api/resource/User', { as: ann }));
      assert.deepEqual(list, [{ name: 'ann@example.com' }]);
      for (const name of ['bob@example.com', 'Administrator', 'nobody@example.com']) {
        assertEnvelope(await user('GET', name, undefined, ann), 'PermissionError');
        assertEnvelope(await user('PUT', name, { first_name: 'X' }, ann), 'PermissionError');
      }
      assertEnvelope(await user('DELETE', 'ann@example.com', undefined, ann), 'PermissionError');
      const make = { body: { email: 'eve@example.com', first_name: 'E' }, as: ann };
      assertEnvelope(await site.request('POST', '/api/resource/User', make), 'PermissionError');
    });

    test('System Users list all users, by the fields of a picker only', async () => {
      const key = await site.createUser('dora@example.com', ['Driver']);
      const list = async (query: Record<string, unknown>, as = key) => {
        const texts = Object.entries(query).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]);
        return site.request('GET', `/api/resource/User?${new URLSearchParams(texts)}`, { as });
      };
      const names = (reply: TestReply) =>
        ok(reply)
          .map(({ name }: { name: string }) => name)
          .sort();
      const everybody: string[] = names(await site.request('GET', '/api/resource/User?limit=100'));
      const all = everybody.filter((name) => name.includes('@'));
      assert.ok(all.length > 5 && all.includes('bob@example.com'));
      assert.deepEqual(names(await list({ limit: 100 })), all);
      const shown = await list({
        fields: ['name', 'full_name', 'username', 'enabled'],
        filters: { enabled: 1 },
        limit: 100,
      });
      assert.deepEqual(names(shown), all);
      assert.deepEqual(
        ok(shown).find(({ name }: { name: string }) => name === 'bob@example.com'),
        { name: 'bob@example.com', full_name: 'bob', username: 'bob', enabled: 1 },
      );
      const counted = await site.request('GET', '/api/method/frappe.client.get_count?doctype=User', {
        as: key,
      });
      assert.equal(counted.body.message, all.length);
      const own = ['dora@example.com'];
      for (const query of [
        { fields: ['name', 'phone'] },
        { fields: ['*'] },
        { filters: [['last_login', 'is', 'not set']] },
        { order_by: 'creation desc' },
      ]) {
        assert.deepEqual(names(await list(query)), own, JSON.stringify(query));
      }
      for (const fields of [['roles'], ['user_type'], ['api_key'], ['nonsuch']])
        assertEnvelope(await list({ fields }), 'DataError');
      assertEnvelope(await user('GET', 'bob@example.com', undefined, key), 'PermissionError');
      assertEnvelope(await user('PUT', 'bob@example.com', { first_name: 'X' }, key), 'PermissionError');
      assert.deepEqual(names(await list({}, ann)), ['ann@example.com']);
    });

    test('users change only their own fields of it', async () => {
      const before = ok(await user('GET', 'ann@example.com'));
      const theirs = {
        first_name: 'Anne',
        last_name: 'A',
        language: 'de',
        time_zone: 'Europe/Zurich',
        phone: '+41 44 000',
      };
      const others = {
        enabled: 0,
        email: 'root@example.com',
        username: 'root',
        mobile_no: '+41 79 000',
        user_type: 'Website User',
        roles: [{ role: 'System Manager' }],
        role_profile_name: 'Any',
        api_key: 'x',
        api_secret: 'y',
        restrict_ip: '192.0.2.1',
        login_after: 23,
        simultaneous_sessions: 1,
        last_ip: '192.0.2.1',
        docstatus: 0,
      };
      ok(await user('PUT', 'ann@example.com', { ...theirs, ...others }, ann));
      const after = ok(await user('GET', 'ann@example.com'));
      assert.partialDeepStrictEqual(after, { ...theirs, full_name: 'Anne A' });
      for (const key of Object.keys(others)) assert.deepEqual(after[key], before[key], key);
      const rpc = {
        doctype: 'User',
        name: 'ann@example.com',
        fieldname: { enabled: 0, roles: [{ role: 'Clerk' }] },
      };
      await site.request('POST', '/api/method/frappe.client.set_value', { body: rpc, as: ann });
      assert.deepEqual(
        [await rolesOf('ann@example.com'), (await user('GET', 'ann@example.com', undefined, ann)).status],
        [[], 200],
      );
    });

    test('users read no roles in their own record, and keep them when they send it back', async () => {
      const key = await site.createUser('rob@example.com', ['Driver', 'Visitor']);
      const get = () => user('GET', 'rob@example.com', undefined, key);
      const own = ok(await get());
      assert.deepEqual(own.roles, []);
      const call = (method: string, body: object) =>
        site.request('POST', `/api/method/${method}`, { body, as: key });
      const sent = [
        () => user('PUT', 'rob@example.com', { ...own, first_name: 'Robert' }, key),
        async () => call('frappe.client.save', { doc: ok(await get()) }),
        () => call('frappe.client.set_value', { doctype: 'User', name: own.name, fieldname: { roles: [] } }),
        () => user('PUT', 'rob@example.com', { roles: [{ role: 'System Manager' }] }, key),
      ];
      for (const send of sent) {
        const reply = await send();
        assert.equal(reply.status, 200, reply.text);
        assert.deepEqual((reply.body.data ?? reply.body.message).roles, []);
        assert.deepEqual(await rolesOf('rob@example.com'), ['Driver', 'Visitor']);
      }
      assert.equal(ok(await get()).first_name, 'Robert');
      // A role that may write roles but not read them would empty them: it does not get the list.
      await insert('Role', { role_name: 'Half' });
      await user('PUT', 'rob@example.com', { roles: [{ role: 'Half' }] });
      const rights = { parent: 'User', role: 'Half', write: 1 };
      const rows = [{ read: 1 }, { permlevel: 1 }];
      const made = [];
      for (const row of rows) made.push(await insert('Custom DocPerm', { ...rights, ...row }));
      const half = ok(await get());
      assert.ok(!('roles' in half));
      assert.equal((await user('PUT', 'rob@example.com', half, key)).status, 200);
      assert.deepEqual(await rolesOf('rob@example.com'), ['Half']);
      for (const { name } of made) ok(await site.request('DELETE', `/api/resource/Custom%20DocPerm/${name}`));
    });

    test('a profile sets the roles of its users, also when it changes', async () => {
      await insert('Role Profile', { role_profile: 'Office', roles: [{ role: 'Clerk' }] });
      const key = await site.createUser('carl@example.com', ['Driver']);
      ok(await user('PUT', 'carl@example.com', { role_profile_name: 'Office' }));
      assert.deepEqual(await rolesOf('carl@example.com'), ['Clerk']);
      ok(await user('PUT', 'carl@example.com', { roles: [{ role: 'System Manager' }] }));
      assert.deepEqual(await rolesOf('carl@example.com'), ['Clerk']);
      assert.equal((await site.request('GET', '/api/resource/Role', { as: key })).status, 403);
      const profile = (roles: string[]) =>
        site.request('PUT', '/api/resource/Role%20Profile/Office', {
          body: { roles: roles.map((role) => ({ role })) },
        });
      ok(await profile(['Driver', 'System Manager']));
      assert.deepEqual(await rolesOf('carl@example.com'), ['Driver', 'System Manager']);
      assert.equal((await site.request('GET', '/api/resource/Role', { as: key })).status, 200);
      ok(await profile([]));
      assert.deepEqual(await rolesOf('carl@example.com'), []);
      assert.equal((await site.request('GET', '/api/resource/Role', { as: key })).status, 403);
      ok(await user('PUT', 'carl@example.com', { role_profile_name: null, roles: [{ role: 'Clerk' }] }));
      assert.deepEqual(await rolesOf('carl@example.com'), ['Clerk']);
    });

    test('user_type follows the roles, and with it the rights of Desk User, at once', async () => {
      const fields = [{ fieldname: 'title', fieldtype: 'Data' }];
      const permissions = [{ role: 'Desk User', read: 1 }];
      await insert('DocType', { name: 'Desk Note', fields, permissions });
      const dan = await site.createUser('dan@example.com', []);
      const role = async (name: string, body: object) =>
        ok(await site.request('PUT', `/api/resource/Role/${name}`, { body }));
      const give = async (...roles: string[]) =>
        ok(await user('PUT', 'dan@example.com', { roles: roles.map((name) => ({ role: name })) }));
      const isDesk = async (expected: boolean) => {
        const { user_type } = ok(await user('GET', 'dan@example.com'));
        assert.equal(user_type, expected ? 'System User' : 'Website User');
        const read = await site.request('GET', '/api/resource/Desk%20Note', { as: dan });
        assert.equal(read.status, expected ? 200 : 403);
      };
      await isDesk(false);
      await give('Visitor');
      await isDesk(false);
      await give('Driver', 'Visitor');
      await isDesk(true);
      for (const [off, on] of [
        [{ desk_access: 0 }, { desk_access: 1 }],
        [{ disabled: 1 }, { disabled: 0 }],
      ] as const) {
        await role('Driver', off);
        await isDesk(false);
        await role('Driver', on);
        await isDesk(true);
      }
      await insert('Role Profile', { role_profile: 'Guests', roles: [{ role: 'Visitor' }] });
      ok(await user('PUT', 'dan@example.com', { role_profile_name: 'Guests' }));
      await isDesk(false);
      const profile = { body: { roles: [{ role: 'Driver' }] } };
      ok(await site.request('PUT', '/api/resource/Role%20Profile/Guests', profile));
      await isDesk(true);
      ok(await user('PUT', 'dan@example.com', { role_profile_name: null, roles: [] }));
      await isDesk(false);
    });

    test('requests do not choose the user_type, and those of the standard users are fixed', async () => {
      const vera = { email: 'vera@example.com', first_name: 'V', user_type: 'System User' };
      assert.equal((await insert('User', vera)).user_type, 'Website User');
      ok(await user('PUT', 'vera@example.com', { user_type: 'System User' }));
      assert.equal(ok(await user('GET', 'vera@example.com')).user_type, 'Website User');
      const sam = { email: 'sam@example.com', first_name: 'S', user_type: 'Website User' };
      assert.equal(
        (await insert('User', { ...sam, roles: [{ role: 'System Manager' }] })).user_type,
        'System User',
      );
      for (const [name, type] of [
        ['Administrator', 'System User'],
        ['Guest', 'Website User'],
      ] as const) {
        assert.equal(ok(await user('PUT', name, { last_name: 'X' })).user_type, type);
      }
      const managers = await site.request('PUT', '/api/resource/Role/System%20Manager', {
        body: { desk_access: 0 },
      });
      assert.equal(ok(managers).desk_access, 1);
    });

    test('a role given twice appears once', async () => {
      const roles = [{ role: 'Driver' }, { role: 'Visitor' }, { role: 'Driver' }];
      const kept = ok(await user('PUT', 'bob@example.com', { roles })).roles;
      assert.deepEqual(
        kept.map(({ role, idx }: { role: string; idx: number }) => [role, idx]),
        [
          ['Driver', 1],
          ['Visitor', 2],
        ],
      );
    });

    test('a disabled role has no effect', async () => {
      await insert('Role', { role_name: 'Keeper' });
      const key = await site.createUser('kim@example.com', ['Keeper']);
      await insert('Custom DocPerm', { parent: 'Patch Log', role: 'Keeper', read: 1 });
      const read = async () => (await site.request('GET', '/api/resource/Patch%20Log', { as: key })).status;
      assert.equal(await read(), 200);
      ok(await site.request('PUT', '/api/resource/Role/Keeper', { body: { disabled: 1 } }));
      assert.equal(await read(), 403);
      ok(await site.request('PUT', '/api/resource/Role/Keeper', { body: { disabled: 0 } }));
      assert.equal(await read(), 200);
    });

    test('Administrator and Guest cannot be changed', async () => {
      for (const name of ['Administrator', 'Guest']) {
        assert.equal((await user('PUT', name, { enabled: 0 })).status, 417, name);
        assert.equal((await user('DELETE', name)).status, 417, name);
      }
      for (const role of ['System Manager', 'All', 'Guest', 'Desk User', 'Administrator']) {
        const disable = await site.request('PUT', `/api/resource/Role/${role}`, { body: { disabled: 1 } });
        assert.ok([404, 417].includes(disable.status), role);
      }
    });

    test('signing in is limited to addresses and hours', async () => {
      ok(await user('PUT', 'bob@example.com', { new_password: PASSWORD }));
      assert.equal((await login('bob@example.com')).status, 200);
      const bound = async (body: object) => {
        ok(
          await user('PUT', 'bob@example.com', { restrict_ip: '', login_after: 0, login_before: 0, ...body }),
        );
        return (await login('bob@example.com')).status;
      };
      assert.equal(await bound({ restrict_ip: '192.0.2.0/24, 2001:db8::1' }), 401);
      assert.equal(await bound({ restrict_ip: '192.0.2.0/24\n127.0.0.0/8' }), 200);
      const hour = new Date().getUTCHours();
      // Whatever the hour is, one of the two is not yet or over; at 0 and 23 there is no such limit.
      if (hour < 22) assert.equal(await bound({ login_after: hour + 2 }), 401);
      if (hour > 1) assert.equal(await bound({ login_before: hour - 1 }), 401);
      assert.equal(await bound({ login_after: hour, login_before: 23 }), 200);
      for (const wrong of [{ restrict_ip: 'home' }, { login_after: 24 }, { login_before: -1 }]) {
        assert.equal((await user('PUT', 'bob@example.com', wrong)).status, 417);
      }
    });
  });
}
