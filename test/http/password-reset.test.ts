/** A new password by mail, over a real SMTP connection. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { startMailbox } from '../support/mailbox.ts';
import { startTestSite, type TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const PASSWORD = 'correct horse battery';
const NEW = 'tr0mbone-Lagoon';
const RESET = 'frappe.core.doctype.user.user.reset_password';
const UPDATE = 'frappe.core.doctype.user.user.update_password';
const LINK = /^https:\/\/crm\.example\.com\/base\/update-password\?key=([0-9a-f]{64})$/m;

describeEitherEngine('a new password by mail', (engine) => {
  const mailbox = useStarted(startMailbox);
  const site = useStarted(() =>
    startTestSite(engine, {
      config: {
        trustProxy: ['127.0.0.0/8'],
        siteUrl: 'https://crm.example.com/base',
        mail: { url: mailbox.url, from: 'crm@example.com' },
      },
    }),
  );
  let address = 0;
  beforeEach(() => {
    address += 1;
  });

  const call = (method: string, body: unknown, headers: Record<string, string> = {}) =>
    site.request('POST', `/api/method/${method}`, {
      as: null,
      body,
      headers: { 'x-forwarded-for': `198.51.100.${address}`, ...headers },
    });
  const reset = (user: string, headers?: Record<string, string>) => call(RESET, { user }, headers);
  const login = (usr: string, pwd: string) => call('login', { usr, pwd });
  async function makeUser(name: string, more: Record<string, unknown> = {}): Promise<void> {
    await site.createUser(name, []);
    const path = `/api/resource/User/${name}`;
    await site.ok('PUT', path, { body: { new_password: PASSWORD, ...more } });
  }
  /** What is mailed until the mailer has nothing left to do. */
  async function mailed(ask: () => Promise<unknown>) {
    const before = mailbox.mails.length;
    await ask();
    await site.site.mailer.settled();
    return mailbox.mails.slice(before);
  }
  // Quoted-printable, in lines of its own length.
  const keyIn = (raw = '') =>
    LINK.exec(raw.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r', ''))?.[1] ?? '';
  async function keyFor(user: string): Promise<string> {
    const [mail] = await mailed(() => reset(user));
    const key = keyIn(mail?.raw);
    assert.notEqual(key, '', String(mail?.raw));
    return key;
  }
  const sidOf = (reply: TestReply) => (reply.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? '';

  test('comes to the address of the user as a link that works once, and ends the sessions', async () => {
    const name = 'forgetful@example.com';
    await makeUser(name);
    const cookie = sidOf(await login(name, PASSWORD));
    const key = await keyFor('Forgetful@Example.com');
    const mail = mailbox.mails.at(-1);
    assert.deepEqual([mail?.from, mail?.to], ['crm@example.com', [name]]);
    const stored = JSON.stringify(await site.site.database.reader.all(sql`select * from "_token"`));
    assert.ok(stored.includes(name) && !stored.includes(key));

    assertEnvelope(await call(UPDATE, { key, new_password: 'short' }), 'ValidationError');
    const wrong = await call(UPDATE, { key: 'f'.repeat(64), new_password: NEW });
    assertEnvelope(wrong, 'AuthenticationError');
    const done = await call(UPDATE, { key, new_password: NEW });
    assert.deepEqual([done.status, done.body], [200, {}]);
    assert.deepEqual(done.headers.getSetCookie(), []);
    const again = await call(UPDATE, { key, new_password: 'another lagoon' });
    assertEnvelope(again, 'AuthenticationError');
    assert.equal(again.text, wrong.text);
    assert.equal((await login(name, PASSWORD)).status, 401);
    assert.equal((await login(name, NEW)).status, 200);
    const who = await call('frappe.auth.get_logged_user', {}, { cookie });
    assert.equal(who.status, 403);
  });

  test('is set on the page that the link leads to, without scripts', async () => {
    const name = 'clicking@example.com';
    await makeUser(name);
    const key = await keyFor(name);
    const asked = await site.request('GET', `/update-password?key=${key}%22%3E%3Cscript%3E`, { as: null });
    assert.equal(asked.status, 200);
    assert.match(asked.headers.get('content-type') ?? '', /^text\/html/);
    assert.ok(asked.text.includes(`value="${key}&#34;&#62;&#60;script&#62;"`));
    assert.equal(asked.headers.get('referrer-policy'), 'same-origin');
    const send = (fields: Record<string, string>) =>
      site.request('POST', '/update-password', {
        as: null,
        body: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    for (const [fields, status] of [
      [{ key, new_password: 'short' }, 417],
      [{ key: 'f'.repeat(64), new_password: NEW }, 401],
      [{ new_password: NEW }, 401],
      [{ key }, 417],
    ] as const) {
      const reply = await send(fields);
      assert.equal(reply.status, status);
      assert.match(reply.text, /role="alert"/);
    }
    const done = await send({ key, new_password: NEW });
    assert.equal(done.status, 200, done.text);
    assert.match(done.text, /The password is set/);
    assert.equal((await login(name, NEW)).status, 200);
    assert.equal((await send({ key, new_password: PASSWORD })).status, 401);
  });

  test('of two at once with one link, one sets the password', async () => {
    await makeUser('eager@example.com');
    const key = await keyFor('eager@example.com');
    const replies = await Promise.all(
      [1, 2, 3, 4].map((n) => call(UPDATE, { key, new_password: `lagoon trombone ${n}` })),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401, 401, 401]);
  });

  test('a link is void after a login, another new password, a disabled user, and its time', async () => {
    const name = 'voided@example.com';
    await makeUser(name);
    const voids: Readonly<Record<string, () => Promise<unknown>>> = {
      login: () => login(name, PASSWORD),
      password: () => site.request('PUT', `/api/resource/User/${name}`, { body: { new_password: PASSWORD } }),
      time: () =>
        site.site.database.transaction((db) => db.run(sql`update "_token" set "expires_at" = ${Date.now()}`)),
      disabled: () => site.request('PUT', `/api/resource/User/${name}`, { body: { enabled: 0 } }),
    };
    for (const [what, happen] of Object.entries(voids)) {
      await site.site.database.transaction((db) => db.run(sql`delete from "_login_attempt"`));
      const key = await keyFor(name);
      await happen();
      assertEnvelope(await call(UPDATE, { key, new_password: NEW }), 'AuthenticationError');
      assert.ok(what);
    }
    await site.request('PUT', `/api/resource/User/${name}`, { body: { enabled: 1 } });
    assert.equal((await login(name, PASSWORD)).status, 200);
  });

  test('known and unknown users, disabled ones and Administrator get one answer, and only one gets a mail', async () => {
    await makeUser('known@example.com');
    await makeUser('disabled@example.com', { enabled: 0 });
    const answers = new Set<string>();
    const mails = await mailed(async () => {
      for (const user of [
        'known@example.com',
        'nobody@example.com',
        'disabled@example.com',
        'Administrator',
        'Guest',
      ]) {
        const reply = await reset(user);
        answers.add(`${reply.status} ${reply.text} ${reply.headers.get('content-length')}`);
      }
    });
    assert.equal(answers.size, 1);
    assert.deepEqual(
      mails.map(({ to }) => to),
      [['known@example.com']],
    );
  });

  test('the link never comes from what the request says of the site', async () => {
    await makeUser('poisoned@example.com');
    const mails = await mailed(() =>
      reset('poisoned@example.com', {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        origin: 'https://evil.example',
        referer: 'https://evil.example/',
      }),
    );
    assert.equal(mails.length, 1);
    assert.ok(keyIn(mails[0]?.raw));
    assert.ok(!mails[0]?.raw.includes('evil'));
  });

  test('names with line breaks, commas and quotes become no header and no recipient', async () => {
    const name = "o'hara+tag@example.com";
    await makeUser(name, {
      first_name: 'Eve\r\nBcc: thief@example.com\r\n\r\n.',
      last_name: '"<thief@example.com>, <other@example.com>',
    });
    const mails = await mailed(() => reset(name));
    assert.deepEqual(
      mails.map(({ to }) => to),
      [[name]],
    );
    assert.ok(!mails[0]?.raw.includes('thief'));
    // An address that is not one gets nothing, however it came into the document.
    for (const email of ['a@example.com, thief@example.com', 'a@example.com\r\nBcc: thief@example.com']) {
      await site.site.database.transaction((db) =>
        db.run(sql`update "User" set "email" = ${email} where "name" = ${name}`),
      );
      assert.deepEqual(await mailed(() => reset(name)), []);
    }
  });

  test('there are few of them, for one user, and for one address', async () => {
    await makeUser('pestered@example.com');
    const mails = await mailed(async () => {
      for (let n = 0; n < 6; n += 1) {
        address += 1;
        assert.equal((await reset('pestered@example.com')).status, 200);
      }
    });
    assert.equal(mails.length, 3);
    address += 1;
    for (let n = 0; n < 30; n += 1) assert.equal((await reset(`n${n}@example.com`)).status, 200);
    const refused = await reset('n31@example.com');
    assertEnvelope(refused, 'TooManyRequestsError');
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  });

  test('a mail that cannot be sent is observed, and nobody is told', async () => {
    await makeUser('unlucky@example.com');
    mailbox.isOpen = false;
    const before = site.observed.length;
    const reply = await reset('unlucky@example.com');
    assert.equal(reply.status, 200);
    await site.site.mailer.settled();
    mailbox.isOpen = true;
    const seen = site.observed.slice(before);
    assert.ok(seen.some((one) => one.kind === 'unexpected' && one.where === 'sending mail'));
  });
});

test('a site that sends no mail says so to everybody', async () => {
  const site = await startTestSite('sqlite');
  try {
    for (const user of ['Administrator', 'nobody@example.com']) {
      const reply = await site.request('POST', `/api/method/${RESET}`, { as: null, body: { user } });
      assertEnvelope(reply, 'ValidationError');
    }
  } finally {
    await site.stop();
  }
});
