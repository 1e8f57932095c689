/** Renaming and merging users: what follows them, and what must not. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

for (const engine of engineOf('renamed users')) {
  describe(`renamed users on ${engine}`, () => {
    let site: TestSite;
    let manager: string;
    before(async () => {
      site = await startTestSite(engine);
      manager = await site.createUser('manager@example.com', ['System Manager']);
    });
    after(() => site.stop());

    const rename = (old_name: string, new_name: string, merge = false, as = manager) =>
      site.request('POST', '/api/method/frappe.client.rename_doc', {
        as,
        body: { doctype: 'User', old_name, new_name, merge },
      });
    const whoami = async (as: string) =>
      site.request('GET', '/api/method/frappe.auth.get_logged_user', { as });
    const login = (usr: string, pwd: string) =>
      site.request('POST', '/api/method/login', { as: null, body: { usr, pwd } });
    const user = (name: string) =>
      site.request('GET', `/api/resource/User/${encodeURIComponent(name)}`, { as: manager });

    test('keys, password, roles and documents follow the new address; sessions end', async () => {
      const key = await site.createUser('before@example.com', ['System Manager']);
      const password = 'a long password';
      await site.request('PUT', '/api/resource/User/before@example.com', {
        body: { new_password: password },
      });
      const session = await login('before@example.com', password);
      const cookie = `sid=${/sid=([^;]+)/.exec(session.headers.get('set-cookie') ?? '')?.[1]}`;
      const role = await site.request('POST', '/api/resource/Role', {
        as: key,
        body: { role_name: 'Owned' },
      });
      assert.equal(role.body.data.owner, 'before@example.com');

      const renamed = await rename('before@example.com', 'After@Example.com');
      assert.deepEqual([renamed.status, renamed.body.message], [200, 'after@example.com'], renamed.text);
      assert.equal((await whoami(key)).body.message, 'after@example.com');
      assert.equal((await login('before@example.com', password)).status, 401);
      assert.equal((await login('after@example.com', password)).status, 200);
      const old = await site.request('GET', '/api/method/frappe.auth.get_logged_user', {
        as: null,
        headers: { cookie },
      });
      assert.notEqual(old.body.message, 'after@example.com');
      const now = (await user('after@example.com')).body.data;
      assert.deepEqual([now.email, now.roles[0].role], ['after@example.com', 'System Manager']);
      const owned = await site.request('GET', '/api/resource/Role/Owned');
      assert.deepEqual(
        [owned.body.data.owner, owned.body.data.modified_by],
        ['after@example.com', 'after@example.com'],
      );
    });

    test('credentials of a merged user stop working', async () => {
      const key = await site.createUser('merged@example.com', ['System Manager']);
      await site.request('PUT', '/api/resource/User/merged@example.com', {
        body: { new_password: 'merged password' },
      });
      await site.request('POST', '/api/resource/Role', { as: key, body: { role_name: 'Merged' } });
      const target = await site.createUser('target@example.com', []);
      const merged = await rename('merged@example.com', 'target@example.com', true);
      assert.deepEqual([merged.status, merged.body.message], [200, 'target@example.com'], merged.text);
      assert.equal((await whoami(key)).status, 401);
      assert.equal((await login('target@example.com', 'merged password')).status, 401);
      assert.equal((await whoami(target)).body.message, 'target@example.com');
      assert.deepEqual((await user('target@example.com')).body.data.roles, []);
      const owned = await site.request('GET', '/api/resource/Role/Merged');
      assert.equal(owned.body.data.owner, 'target@example.com');
    });

    test('likes, assignments and comments follow renamed and merged users', async () => {
      const marked = (fields: object) =>
        site.request('POST', '/api/method/frappe.desk.form.assign_to.add', {
          body: { doctype: 'Role', name: 'Liked', ...fields },
        });
      await site.request('POST', '/api/resource/Role', { body: { role_name: 'Liked' } });
      const key = await site.createUser('fan@example.com', ['System Manager']);
      await site.createUser('other-fan@example.com', ['System Manager']);
      const like = (add: string) =>
        site.request('POST', '/api/method/frappe.desk.like.toggle_like', {
          as: key,
          body: { doctype: 'Role', name: 'Liked', add },
        });
      await like('Yes');
      await marked({ assign_to: '["fan@example.com","other-fan@example.com"]' });
      await rename('fan@example.com', 'renamed-fan@example.com');
      const role = async () => (await site.request('GET', '/api/resource/Role/Liked')).body.data;
      assert.equal((await role())._liked_by, '["renamed-fan@example.com"]');
      await like('No');
      assert.equal((await role())._liked_by, undefined);
      await rename('renamed-fan@example.com', 'other-fan@example.com', true);
      assert.equal((await role())._assign, '["other-fan@example.com"]');
      const filters = encodeURIComponent('[["comment_email","like","%fan@example.com"]]');
      const comments = await site.request(
        'GET',
        `/api/resource/Comment?filters=${filters}&fields=["comment_email"]`,
      );
      for (const { comment_email } of comments.body.data) {
        assert.equal(comment_email, 'other-fan@example.com');
      }
    });

    test('only a System Manager may rename users, only to addresses, never the standard users', async () => {
      const key = await site.createUser('plain@example.com', []);
      assertEnvelope(await rename('plain@example.com', 'x@example.com', false, key), 'PermissionError');
      assertEnvelope(await rename('plain@example.com', 'nonsense'), 'InvalidEmailAddressError');
      const admin = `token ${site.adminKey}`;
      for (const [from, to, merge] of [
        ['Administrator', 'x@example.com', false],
        ['Guest', 'plain@example.com', true],
        ['plain@example.com', 'Administrator', true],
      ] as const) {
        assertEnvelope(await rename(from, to, merge, admin), 'ValidationError');
      }
      assertEnvelope(await rename('plain@example.com', 'Administrator', true), 'PermissionError');
      assert.equal((await whoami(key)).body.message, 'plain@example.com');
    });
  });
}
