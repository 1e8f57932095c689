/** Two sites on one PostgreSQL database: what ends a key on one of them ends it on the other within a second. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

describe('keys on two nodes', () => {
  let one: TestSite;
  let other: TestSite;
  before(async () => {
    const secretKey = Buffer.alloc(32, 7).toString('base64');
    one = await startTestSite('postgres', { config: { secretKey } });
    const { database, files } = one.site.config;
    other = await startTestSite('postgres', {
      config: { database, files, secretKey },
    });
  });
  after(async () => {
    await other?.stop();
    await one.stop();
  });

  const ok = (reply: TestReply) => {
    assert.ok(reply.status === 200 || reply.status === 202, reply.text);
    return reply.body;
  };

  /**
   * Until the other node refuses the key, too: a verdict is trusted for a second there, and a busy machine
   * gets more.
   */
  async function refused(header: string, path: string, refusal: number): Promise<void> {
    await until(
      async () => (await other.request('GET', path, { as: header })).status,
      (status) => {
        assert.ok(status === 200 || status === refusal, String(status));
        return status === refusal;
      },
    );
  }

  const ends: [string, string, number, (key: string) => Promise<TestReply>][] = [
    ['a revoked key', 'Role', 401, (key) => one.request('DELETE', `/api/resource/API%20Key/${key}`)],
    [
      'a key that is switched off',
      'Role',
      401,
      (key) => one.request('PUT', `/api/resource/API%20Key/${key}`, { body: { enabled: 0 } }),
    ],
    [
      'a new secret without overlap',
      'Role',
      401,
      (api_key) =>
        one.request('POST', '/api/method/chancery.api_key.rotate', { body: { api_key, overlap_hours: 0 } }),
    ],
    [
      'a key that only reads other doctypes now',
      'Role',
      403,
      (key) => one.request('PUT', `/api/resource/API%20Key/${key}`, { body: { doctypes: 'File' } }),
    ],
    [
      'a role that is taken',
      'Role',
      403,
      () => one.request('PUT', '/api/resource/User/a@example.com', { body: { roles: [] } }),
    ],
    [
      'a disabled user',
      'Role',
      401,
      () => one.request('PUT', '/api/resource/User/a@example.com', { body: { enabled: 0 } }),
    ],
  ];
  for (const [what, doctype, refusal, end] of ends) {
    test(`${what} takes effect at once here, within a second on the other node`, async () => {
      const back = { enabled: 1, roles: [{ role: 'System Manager' }] };
      const known = await one.request('PUT', '/api/resource/User/a@example.com', { body: back });
      if (known.status === 404) await one.createUser('a@example.com', ['System Manager']);
      const made = ok(
        await one.request('POST', '/api/method/chancery.api_key.create', { body: { user: 'a@example.com' } }),
      ).message;
      const header = `token ${made.api_key}:${made.api_secret}`;
      const path = `/api/resource/${doctype}`;
      for (const site of [one, other])
        assert.equal((await site.request('GET', path, { as: header })).status, 200);
      ok(await end(made.api_key));
      assert.equal((await one.request('GET', path, { as: header })).status, refusal);
      await refused(header, path, refusal);
    });
  }

  test('a role that loses access to the desk takes the rights of Desk User, on the other node within a second', async () => {
    await one.make('Role', { role_name: 'Clerk' });
    await one.createUser('peer@example.com', []);
    const header = await one.createUser('clerk@example.com', ['Clerk']);
    // System Users count all users, others only themselves.
    const counted = (site: TestSite): Promise<number> =>
      site.ok('GET', '/api/method/frappe.client.get_count?doctype=User', { as: header });
    for (const [desk_access, isExpected] of [
      [1, (count: number) => count > 1],
      [0, (count: number) => count === 1],
      [1, (count: number) => count > 1],
    ] as const) {
      await one.did('PUT', 'Role/Clerk', { desk_access });
      assert.ok(isExpected(await counted(one)));
      await until(() => counted(other), isExpected);
    }
  });
});
