/** Passwords, what failing costs, and sessions: what an attacker may try, and what the user sees of it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import type { RequestOptions, TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const PASSWORD = 'correct horse battery';
const UPDATE = 'frappe.core.doctype.user.user.update_password';

describeEither('signing in', { config: { trustProxy: ['127.0.0.0/8'] } }, (site) => {
  const call = (method: string, body: unknown, options: RequestOptions = {}) =>
    site.request('POST', `/api/method/${method}`, { as: null, body, ...options });
  // Each test calls from addresses of its own: failures are counted for them, too.
  const from = (address: string, more: Record<string, string> = {}) => ({
    headers: { 'x-forwarded-for': address, ...more },
  });
  const login = (usr: string, pwd: string, address = '192.0.2.1', more: Record<string, string> = {}) =>
    call('login', { usr, pwd }, from(address, more));
  const cookieOf = (reply: TestReply) => (reply.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? '';
  const who = async (cookie: string) =>
    (await site.request('GET', '/api/method/frappe.auth.get_logged_user', { as: null, headers: { cookie } }))
      .body.message;
  async function makeUser(name: string, more: Record<string, unknown> = {}): Promise<string> {
    const key = await site.createUser(name, ['Desk User']);
    await site.ok('PUT', `/api/resource/User/${name}`, { body: { new_password: PASSWORD, ...more } });
    return key;
  }
  const settings = async (body: Record<string, unknown>) => {
    await site.ok('PUT', '/api/resource/System Settings/System Settings', { body });
  };

  describe('passwords', () => {
    test('that are guessed first are refused, by an administrator and by the user', async () => {
      await makeUser('guessable@example.com');
      const { body } = await login('guessable@example.com', PASSWORD);
      assert.equal(body.message, 'Logged In');
      const cookie = cookieOf(await login('guessable@example.com', PASSWORD));
      for (const new_password of ['short', 'Password123!', 'my guessable words']) {
        const path = '/api/resource/User/guessable@example.com';
        assertEnvelope(await site.request('PUT', path, { body: { new_password } }), 'ValidationError');
        const own = { old_password: PASSWORD, new_password };
        assertEnvelope(await call(UPDATE, own, { headers: { cookie } }), 'ValidationError');
      }
    });

    test("one's own is changed with the old one, and the other sessions end", async () => {
      const key = await makeUser('owner@example.com');
      const mine = cookieOf(await login('owner@example.com', PASSWORD));
      const stolen = cookieOf(await login('owner@example.com', PASSWORD));
      const wanted = { new_password: 'tr0mbone-Lagoon' };
      assertEnvelope(
        await call(UPDATE, { ...wanted, old_password: 'not this one' }, { headers: { cookie: stolen } }),
        'AuthenticationError',
      );
      assertEnvelope(await call(UPDATE, wanted, { headers: { cookie: stolen } }), 'ValidationError');
      assertEnvelope(await call(UPDATE, wanted), 'PermissionError');
      assert.equal(await who(stolen), 'owner@example.com');
      const own = { ...wanted, old_password: PASSWORD };
      const reply = await call(UPDATE, own, { headers: { cookie: mine } });
      assert.deepEqual([reply.status, reply.body], [200, {}]);
      assert.deepEqual([await who(mine), await who(stolen)], ['owner@example.com', undefined]);
      assert.equal((await login('owner@example.com', PASSWORD)).status, 401);
      assert.equal((await login('owner@example.com', 'tr0mbone-Lagoon')).status, 200);
      // With a key there is no session to keep.
      const back = { new_password: PASSWORD, old_password: 'tr0mbone-Lagoon' };
      assert.equal((await call(UPDATE, back, { as: key })).status, 200);
      assert.equal(await who(mine), undefined);
    });

    test('nobody gives themselves one through their document', async () => {
      const reply = await site.request('PUT', '/api/resource/User/Administrator', {
        body: { new_password: 'a lagoon of trombones' },
      });
      assertEnvelope(reply, 'ValidationError');
    });

    test('a hash of other parameters is made anew at the next login', async () => {
      await makeUser('former@example.com');
      const hash = async () => {
        const statement = sql`select "hash" from "_password" where "user" = 'former@example.com'`;
        return String((await site.site.database.reader.get(statement))?.['hash']);
      };
      // What an earlier version with half the memory would have stored.
      const { argon2Sync } = await import('node:crypto');
      const nonce = Buffer.alloc(16, 7);
      const tag = argon2Sync('argon2id', {
        message: PASSWORD,
        nonce,
        memory: 9_728,
        passes: 2,
        parallelism: 1,
        tagLength: 32,
      });
      const plain = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
      const former = `$argon2id$v=19$m=9728,t=2,p=1$${plain(nonce)}$${plain(tag)}`;
      await site.site.database.transaction((db) =>
        db.run(sql`update "_password" set "hash" = ${former} where "user" = 'former@example.com'`),
      );
      assert.equal((await login('former@example.com', 'wrong')).status, 401);
      assert.equal(await hash(), former);
      assert.equal((await login('former@example.com', PASSWORD)).status, 200);
      assert.match(await hash(), /^\$argon2id\$v=19\$m=19456,/);
      assert.equal((await login('former@example.com', PASSWORD)).status, 200);
    });
  });

  describe('failures', () => {
    const fail = async (usr: string, address: string, times: number) => {
      let last = await login(usr, 'wrong password', address);
      for (let n = 1; n < times; n += 1) last = await login(usr, 'wrong password', address);
      return last;
    };

    test('make the account wait, by whatever name, for known and unknown users alike', async () => {
      await makeUser('victim@example.com', { username: 'victim' });
      await settings({ allow_login_using_user_name: 1 });
      const answers = [];
      for (const [first, second] of [
        ['victim@example.com', 'VICTIM@Example.com'],
        ['nobody@example.com', '  NOBODY@example.com '],
      ] as const) {
        for (let n = 0; n < 5; n += 1) {
          // Each from an address of its own, and with a name in another form.
          assert.equal((await login(first, 'wrong', `198.51.100.${n}`)).status, 401);
          assert.equal((await login(second, 'wrong', `203.0.113.${n}`)).status, 401);
        }
        const reply = await login(first, PASSWORD, '198.51.100.77');
        assertEnvelope(reply, 'TooManyRequestsError');
        const wait = Number(reply.headers.get('retry-after'));
        assert.ok(wait > 0 && wait <= 60, String(wait));
        answers.push(reply.text.replaceAll(/\d+ seconds/g, 'n seconds'));
      }
      assert.equal(new Set(answers).size, 1);
      assert.equal((await login('victim', PASSWORD, '198.51.100.78')).status, 429);
      await settings({ allow_login_using_user_name: 0 });
    });

    test('that come by many at once are counted, every one', async () => {
      await makeUser('rushed@example.com');
      const guess = async (address: string): Promise<TestReply> => {
        const reply = await login('rushed@example.com', 'wrong', address);
        // So many passwords are being checked already: this one was not looked at.
        return reply.status === 503 ? guess(address) : reply;
      };
      const replies = await Promise.all(Array.from({ length: 60 }, (_, n) => guess(`198.51.101.${n}`)));
      const guesses = replies.filter(({ status }) => status === 401).length;
      assert.ok(guesses >= 10 && guesses <= 10 + LIMITS.loginsUndecided, String(guesses));
      assert.equal(replies.filter(({ status }) => status === 429).length, 60 - guesses);
      assert.equal((await login('rushed@example.com', PASSWORD, '198.51.101.99')).status, 429);
    });

    test('are not what many right passwords at once are', async () => {
      await makeUser('busy@example.com');
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, n) => login('busy@example.com', PASSWORD, `198.51.105.${n}`)),
      );
      for (const reply of replies) assert.equal(reply.status, 200, reply.text);
    });

    test('elsewhere do not keep a user out where the user signed in before', async () => {
      await makeUser('resident@example.com');
      assert.equal((await login('resident@example.com', PASSWORD, '192.0.2.40')).status, 200);
      assert.equal((await fail('resident@example.com', '198.51.102.1', 10)).status, 401);
      assert.equal((await login('resident@example.com', PASSWORD, '198.51.102.2')).status, 429);
      assert.equal((await login('resident@example.com', PASSWORD, '192.0.2.40')).status, 200);
      // Where the user is known, guesses are counted as well.
      assert.equal((await fail('resident@example.com', '192.0.2.40', 11)).status, 429);
    });

    test('of one address are counted over all accounts, and a success does not reset them', async () => {
      await makeUser('insider@example.com');
      const address = '198.51.103.1';
      for (let n = 0; n < 49; n += 1) {
        assert.equal((await login(`spray${n}@example.com`, 'Summer2026!', address)).status, 401);
      }
      assert.equal((await login('insider@example.com', PASSWORD, address)).status, 200);
      assert.equal((await login('spray50@example.com', 'Summer2026!', address)).status, 401);
      assert.equal((await login('insider@example.com', PASSWORD, address)).status, 429);
      assert.equal((await login('insider@example.com', PASSWORD, '198.51.103.2')).status, 200);
    });

    test('end with a success, and with a password that an administrator gives', async () => {
      await makeUser('clumsy@example.com');
      for (const round of [1, 2]) {
        assert.equal((await fail('clumsy@example.com', `198.51.104.${round}`, 9)).status, 401);
        assert.equal((await login('clumsy@example.com', PASSWORD, `198.51.104.${round}`)).status, 200);
      }
      await fail('clumsy@example.com', '198.51.104.3', 10);
      assert.equal((await login('clumsy@example.com', PASSWORD, '198.51.104.4')).status, 429);
      await site.request('PUT', '/api/resource/User/clumsy@example.com', {
        body: { new_password: 'tr0mbone-Lagoon' },
      });
      assert.equal((await login('clumsy@example.com', 'tr0mbone-Lagoon', '198.51.104.4')).status, 200);
    });

    test('never lock the last administrator out for good: the wait has an end', async () => {
      const until = async () => {
        const statement = sql`select max("until_at") as "until" from "_login_attempt"`;
        return Number((await site.site.database.reader.get(statement))?.['until']);
      };
      await settings({ allow_consecutive_login_attempts: 1 });
      for (let n = 0; n < 12; n += 1) {
        assert.equal((await login('Administrator', 'wrong', `198.51.105.${n}`)).status, 401);
        assert.ok((await until()) - Date.now() <= 15 * 60_000);
        // As if it were over.
        await site.site.database.transaction((db) => db.run(sql`update "_login_attempt" set "until_at" = 0`));
      }
      await settings({ allow_consecutive_login_attempts: 0 });
      assert.equal((await login('Administrator', 'admin-password', '198.51.105.99')).status, 200);
    });

    test('leave nothing of what was typed', async () => {
      await login('my secret typed as a name', 'wrong', '198.51.106.1');
      const rows = await site.site.database.reader.all(sql`select "key" from "_login_attempt"`);
      assert.ok(rows.length > 10);
      for (const { key } of rows) assert.match(String(key), /^[0-9a-f]{64}$/);
    });
  });
});
