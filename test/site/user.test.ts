/** Users and roles as documents, on both engines. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';

for (const engine of engineOf('users')) {
  describe(`users on ${engine}`, () => {
    let site: TestSite;
    let manager: string;
    before(async () => {
      site = await startTestSite(engine);
      manager = await site.createUser('manager@example.com', ['System Manager']);
    });
    after(() => site.stop());

    const user = (method: string, name: string, body?: object, as?: string) =>
      site.request(method, `/api/resource/User/${encodeURIComponent(name)}`, {
        ...(body ? { body } : {}),
        ...(as ? { as } : {}),
      });
    const ok = (reply: TestReply, status = 200) => {
      assert.equal(reply.status, status, reply.text);
      return reply.body.data;
    };
    const login = (usr: string, pwd: string) =>
      site.request('POST', '/api/method/login', { as: null, body: { usr, pwd } });
    const whoami = async (as: string) =>
      (await site.request('GET', '/api/method/frappe.auth.get_logged_user', { as })).status;

    test('a user is named by the address in lower case, and begins without rights', async () => {
      const body = { email: 'New.User@Example.com', first_name: 'New', last_name: 'User' };
      const made = ok(await site.request('POST', '/api/resource/User', { body }));
      assert.equal(made.name, 'new.user@example.com');
      assert.equal(made.full_name, 'New User');
      assert.deepEqual(made.roles, []);
    });

    test('a password is hashed, masked nowhere readable, and ends sessions when it changes', async () => {
      const created = await site.request('POST', '/api/resource/User', {
        body: { email: 'login@example.com', first_name: 'L', new_password: 'first password' },
      });
      ok(created);
      assert.ok(!created.text.includes('first password'));
      assert.equal((await login('login@example.com', 'first password')).status, 200);
      const session = await login('Login@Example.com', 'first password');
      const sid = /sid=([^;]+)/.exec(session.headers.get('set-cookie') ?? '')?.[1];
      const asSession = () =>
        site.request('GET', '/api/method/frappe.auth.get_logged_user', {
          as: null,
          headers: { cookie: `sid=${sid}` },
        });
      assert.equal((await asSession()).body.message, 'login@example.com');
      ok(await user('PUT', 'login@example.com', { new_password: 'second password' }));
      assert.notEqual((await asSession()).body.message, 'login@example.com');
      assert.equal((await login('login@example.com', 'first password')).status, 401);
      assert.equal((await login('login@example.com', 'second password')).status, 200);
      ok(await user('PUT', 'login@example.com', { first_name: 'Renamed' }));
      assert.equal((await login('login@example.com', 'second password')).status, 200);
      const short = await user('PUT', 'login@example.com', { new_password: 'short' });
      assert.equal(short.status, 417, short.text);
    });

    test('no stored value reveals a password or API secret', async () => {
      const columns = await site.site.database.reader.all({ text: 'select * from "User"', values: [] });
      const secrets = await site.site.database.reader.all({ text: 'select * from "_secret"', values: [] });
      const keys = await site.site.database.reader.all({ text: 'select * from "_api_key"', values: [] });
      const everything = JSON.stringify([columns, secrets, keys]);
      assert.ok(!everything.includes('first password') && !everything.includes('second password'));
      assert.ok(!everything.includes(site.adminKey.split(':')[1] ?? ''));
    });

    test('a disabled user, a removed role and a deleted user take effect with the next request', async () => {
      const key = await site.createUser('leaver@example.com', ['System Manager']);
      const listRoles = async () => (await site.request('GET', '/api/resource/Role', { as: key })).status;
      assert.equal(await listRoles(), 200);
      ok(await user('PUT', 'leaver@example.com', { roles: [] }));
      assert.equal(await listRoles(), 403);
      ok(await user('PUT', 'leaver@example.com', { roles: [{ role: 'System Manager' }] }));
      assert.equal(await listRoles(), 200);
      ok(await user('PUT', 'leaver@example.com', { enabled: 0 }));
      assert.equal(await whoami(key), 401);
      ok(await user('PUT', 'leaver@example.com', { enabled: 1 }));
      assert.equal(await whoami(key), 200);
      assert.equal((await user('DELETE', 'leaver@example.com')).status, 202);
      assert.equal(await whoami(key), 401);
      ok(
        await site.request('POST', '/api/resource/User', {
          body: { email: 'leaver@example.com', first_name: 'X' },
        }),
      );
      assert.equal(await whoami(key), 401, 'the old key is gone for good');
    });

    test('a System Manager sees and changes users, except Administrator and Guest', async () => {
      ok(await user('GET', 'manager@example.com', undefined, manager));
      for (const name of ['Administrator', 'Guest']) {
        assert.equal((await user('GET', name, undefined, manager)).status, 403);
        assert.equal((await user('PUT', name, { new_password: 'taken over!!' }, manager)).status, 403);
        assert.equal((await user('DELETE', name, undefined, manager)).status, 403);
        const generated = await site.request(
          'POST',
          '/api/method/frappe.core.doctype.user.user.generate_keys',
          {
            as: manager,
            body: { user: name },
          },
        );
        assert.equal(generated.status, 403, generated.text);
      }
      const names = ok(
        await site.request('GET', '/api/resource/User?limit_page_length=0', { as: manager }),
      ).map((row: { name: string }) => row.name);
      assert.ok(names.includes('manager@example.com'));
      assert.ok(!names.includes('Administrator') && !names.includes('Guest'));
    });

    test('nobody can delete, disable or rename Administrator and Guest', async () => {
      for (const name of ['Administrator', 'Guest']) {
        assert.equal((await user('DELETE', name)).status, 417);
        assert.equal((await user('PUT', name, { enabled: 0 })).status, 417);
        const renamed = await site.request('POST', '/api/method/frappe.client.rename_doc', {
          body: { doctype: 'User', old_name: name, new_name: 'x@example.com' },
        });
        assert.equal(renamed.status, 417, renamed.text);
      }
    });

    test('built-in roles cannot be deleted', async () => {
      for (const name of ['System Manager', 'All', 'Guest', 'Administrator']) {
        const path = `/api/resource/Role/${encodeURIComponent(name)}`;
        assert.equal((await site.request('DELETE', path)).status, 417);
        assert.equal((await site.request('PUT', path, { body: { disabled: 1 } })).status, 417);
      }
    });

    test('a user without roles cannot create users or add roles', async () => {
      const nobody = await site.createUser('nobody@example.com', []);
      const body = { email: 'evil@example.com', first_name: 'E', roles: [{ role: 'System Manager' }] };
      assert.equal((await site.request('POST', '/api/resource/User', { body, as: nobody })).status, 403);
      ok(await user('PUT', 'nobody@example.com', { roles: body.roles }, nobody));
      assert.deepEqual(ok(await user('GET', 'nobody@example.com')).roles, []);
    });
  });
}
