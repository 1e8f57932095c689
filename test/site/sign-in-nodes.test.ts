/** Signing in at two nodes of one PostgreSQL database: what one counted, ended or used up is so at the other. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { generateSync } from 'otplib';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'correct horse battery';

describe('signing in at two nodes', () => {
  let one: TestSite;
  let two: TestSite;
  let drop = async () => {};
  before(async () => {
    const database = await freshDatabaseUrl('postgres');
    drop = database.drop;
    const config = {
      database: database.url,
      secretKey: Buffer.alloc(32, 7).toString('base64'),
      trustProxy: ['127.0.0.0/8'],
    };
    // The engine only says who makes the database.
    one = await startTestSite('sqlite', { config });
    const { files } = one.site.config;
    two = await startTestSite('sqlite', { config: { ...config, files } });
  });
  after(async () => {
    await two.stop();
    await one.stop();
    await drop();
  });

  let addresses = 0;
  function login(node: TestSite, body: Record<string, unknown>): Promise<TestReply> {
    addresses += 1;
    const headers = { 'x-forwarded-for': `198.51.100.${addresses}` };
    return node.request('POST', '/api/method/login', { as: null, body, headers });
  }
  const call = (node: TestSite, method: string, body: unknown, cookie: string) =>
    node.request('POST', `/api/method/${method}`, { as: null, body, headers: { cookie } });
  const cookieOf = (reply: TestReply) => (reply.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? '';
  const who = async (node: TestSite, cookie: string) =>
    (await call(node, 'frappe.auth.get_logged_user', {}, cookie)).body.message;
  async function makeUser(name: string): Promise<void> {
    await one.createUser(name, []);
    const path = `/api/resource/User/${name}`;
    const reply = await one.request('PUT', path, { body: { new_password: PASSWORD } });
    assert.equal(reply.status, 200, reply.text);
  }

  test('failures are counted together', async () => {
    await makeUser('counted@example.com');
    const wrong = { usr: 'counted@example.com', pwd: 'wrong' };
    for (let n = 0; n < 10; n += 1) assert.equal((await login(n % 2 ? one : two, wrong)).status, 401);
    for (const node of [one, two]) {
      assert.equal((await login(node, { usr: 'counted@example.com', pwd: PASSWORD })).status, 429);
    }
  });

  test('a session works on both nodes, and ends on the other within a second', async () => {
    const usr = 'wanderer@example.com';
    await makeUser(usr);
    const cookie = cookieOf(await login(one, { usr, pwd: PASSWORD }));
    assert.deepEqual([await who(one, cookie), await who(two, cookie)], [usr, usr]);
    const own = { old_password: PASSWORD, new_password: 'tr0mbone-Lagoon' };
    const kept = cookieOf(await login(one, { usr, pwd: PASSWORD }));
    const changed = await call(one, 'frappe.core.doctype.user.user.update_password', own, kept);
    assert.equal(changed.status, 200, changed.text);
    assert.equal(await who(one, cookie), undefined);
    await until(
      () => who(two, cookie),
      (user) => user === undefined,
    );
    assert.equal(await who(two, kept), usr);
  });

  test('a code of the second factor works once on both nodes', async () => {
    const usr = 'factored@example.com';
    await makeUser(usr);
    const cookie = cookieOf(await login(one, { usr, pwd: PASSWORD }));
    const begun = await call(one, 'chancery.auth.enable_second_factor', { password: PASSWORD }, cookie);
    const { secret } = begun.body.message;
    const code = (steps: number) =>
      generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * steps });

    const confirmed = await call(two, 'chancery.auth.confirm_second_factor', { otp: code(0) }, cookie);
    assert.equal(confirmed.status, 200, confirmed.text);
    const tokens: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      tokens.push((await login(n % 2 ? one : two, { usr, pwd: PASSWORD })).body.tmp_id);
    }
    const otp = code(1);
    const replies = await Promise.all(tokens.map((tmp_id, n) => login(n % 2 ? two : one, { tmp_id, otp })));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401, 401, 401, 401, 401]);
  });
});
