/** No secret is ever seen again: canaries in every place that keeps one, and every output searched for them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SETTINGS } from '../../src/config/settings.ts';
import { ident, sql } from '../../src/db/sql.ts';
import { BUILT_INS } from '../../src/http/methods/methods.ts';
import { createServer } from '../../src/http/server.ts';
import { logObserver } from '../../src/observe/log.ts';
import { describeEither } from '../support/describe-site.ts';
import { WebhookReceiver } from '../support/receiver.ts';
import { spawnChancery } from '../support/server-process.ts';
import type { TestReply } from '../support/site.ts';
import { CANARY, type Planted, plantCanaries, SECRET_KEY } from './canaries.ts';

const SITE = {
  worker: true,
  config: { secretKey: SECRET_KEY, adminPassword: CANARY.adminPassword, logRequests: true },
};

describeEither('canaries', SITE, (site, engine) => {
  let receiver: WebhookReceiver;
  let planted: Planted;
  before(async () => {
    receiver = await WebhookReceiver.start();
    planted = await plantCanaries(site, receiver.url);
    await receiver.count(5);
  });
  after(async () => {
    await receiver?.close();
  });

  function requireNone(output: string, where: string): void {
    for (const [what, secret] of planted.secrets) {
      const encoded = [
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64').replace(/=+$/, ''),
      ];
      assert.ok(!encoded.some((text) => output.includes(text)), `${what} is in ${where}`);
    }
  }

  test('a canary is seen where it is', () => {
    assert.throws(() => requireNone(`x${CANARY.row}x`, 'here'), /row is in here/);
    assert.throws(() => requireNone(JSON.stringify([...planted.secrets]), 'here'));
  });

  async function get(path: string, as: string | null): Promise<TestReply> {
    const reply = await site.request('GET', path, { as });
    requireNone(reply.text + JSON.stringify([...reply.headers]), `GET ${path}`);
    assert.ok(reply.status < 500, `${path}: ${reply.text}`);
    return reply;
  }

  test('documents and lists of every doctype, for everybody', async () => {
    let read = 0;
    for (const as of planted.callers) {
      for (const { name: doctype } of site.site.doctypes.all()) {
        const path = `/api/resource/${encodeURIComponent(doctype)}`;
        const all = `fields=${encodeURIComponent('["*"]')}`;
        const list = await get(`${path}?${all}&limit_page_length=1000`, as);
        await get(`${path}?${all}&limit_page_length=0&as_dict=false`, as);
        await get(`/api/v2/document/${encodeURIComponent(doctype)}?${all}`, as);
        await get(`/api/v2/doctype/${encodeURIComponent(doctype)}/meta`, as);
        for (const { name } of list.body?.data ?? []) {
          await get(`${path}/${encodeURIComponent(name)}`, as);
          await get(`/api/v2/document/${encodeURIComponent(doctype)}/${encodeURIComponent(name)}/`, as);
          read += 1;
        }
      }
    }
    assert.ok(read > 50, `${read} documents`);
    const headers = await get(
      '/api/resource/Version?fields=["*"]&limit_page_length=1000',
      planted.callers[0] ?? null,
    );
    assert.match(headers.text, /webhook_headers/, 'the webhooks have versions');
  });

  test('every route and every method that reads, for everybody', async () => {
    const server = createServer(site.site);
    await server.ready();
    const routes = server.registeredRoutes.filter(
      ({ method, path }) => method === 'GET' && path !== '/api/events',
    );
    await server.close();
    const values: Readonly<Record<string, string>> = { ':doctype': 'Vault', ':name': 'kept', '*': 'kept' };
    const methods = BUILT_INS.filter(({ name, http }) => http.includes('GET') && name !== 'logout');
    assert.ok(methods.length > 10);
    const query = new URLSearchParams({
      doctype: 'Vault',
      dt: 'Vault',
      name: 'kept',
      dn: 'kept',
      docname: 'kept',
      fieldname: '["token","title"]',
      txt: 'k',
    });
    for (const as of planted.callers) {
      for (const { path } of routes) {
        const address = path
          .split('/')
          .map((part) => values[part] ?? part)
          .join('/');
        await get(address, as);
      }
      for (const { name } of methods) {
        await get(`/api/method/${name}?${query}`, as);
        await get(`/api/v2/method/${name}?${query}`, as);
      }
      for (const use of [
        'fields=["token"]',
        'filters=[["token","like","%"]]',
        'order_by=token asc',
        'group_by=token',
        'fields=["max(token) as m"]',
        'fields=["rows.key"]',
        'filters=[["Vault Row","key","like","%"]]',
        'expand=["token"]',
      ])
        await get(`/api/resource/Vault?${use}`, as);
    }
  });

  test('refusals, of credentials and of documents', async () => {
    const login = (usr: string, pwd: string) =>
      site.request('POST', '/api/method/login', { as: null, body: { usr, pwd } });
    const replies = [
      await login('keeper@example.com', CANARY.wrongPassword),
      await login('nobody-there@example.com', CANARY.wrongPassword),
      await site.request('GET', '/api/resource/Vault', { as: `token a:${CANARY.wrongKey}` }),
      await site.request('POST', '/api/resource/Vault', { body: { name: 'kept', token: CANARY.field } }),
      await site.request('POST', '/api/resource/Vault', {
        body: { name: 'x', token: CANARY.field, rows: 'no' },
      }),
      await site.request('PUT', '/api/resource/Vault/kept', { body: { token: CANARY.field.repeat(1000) } }),
      await site.request('POST', '/api/resource/Vault', { body: `{"token": "${CANARY.field}", ` }),
      await site.request('PUT', '/api/resource/User/keeper@example.com', {
        body: { new_password: CANARY.password, email: 'no address' },
      }),
    ];
    for (const [index, { status, text }] of replies.entries()) {
      assert.ok(status >= 400 && status < 500, `${index}: ${status} ${text}`);
      requireNone(text, `refusal ${index}: ${text}`);
    }
  });

  test('a restored document and a copy have the mask at most', async () => {
    const [deleted] = await site.ok(
      'GET',
      '/api/resource/Deleted Document?filters={"deleted_doctype":"Vault"}',
    );
    const restored = await site.request('POST', '/api/method/chancery.restore_document', {
      body: { name: deleted.name },
    });
    requireNone(restored.text, 'a restored document');
    requireNone((await get('/api/v2/document/Vault/kept/copy', planted.callers[0] ?? null)).text, 'a copy');
  });

  test('the log, the bodies of webhooks and what is kept of them', async () => {
    let log = '';
    const observer = logObserver({
      write(line) {
        log += line;
      },
    });
    for (const observation of site.observed) observer(observation);
    assert.match(log, /Vault/);
    requireNone(log, 'the log');
    const bodies = receiver.received.map(({ body }) => body.toString()).join('\n');
    assert.match(bodies, /"kept"/);
    requireNone(bodies, 'payloads');
    // It was sent, so the canary is where it should be.
    assert.ok(receiver.received.some(({ headers }) => headers['authorization'] === CANARY.header));
  });

  test('every table holds digests and what is encrypted, and so do the bytes of the file', async () => {
    const { reader, dialect } = { reader: site.site.database.reader, dialect: site.site.database.dialect };
    const tables = await reader.all(
      dialect.name === 'postgres'
        ? sql`select table_name as "name" from information_schema.tables where table_schema = ${dialect.schema}`
        : sql`select "name" from "sqlite_master" where "type" in ('table', 'view')`,
    );
    assert.ok(tables.length > 20);
    for (const { name } of tables)
      requireNone(
        JSON.stringify(await reader.all(sql`select * from ${ident(String(name))}`)),
        `table ${name}`,
      );
    const { data } = site.site.config;
    for (const file of readdirSync(data, { recursive: true, withFileTypes: true })) {
      if (file.isFile()) requireNone(readFileSync(join(file.parentPath, file.name), 'latin1'), file.name);
    }
  });

  test('what the commands print', {
    skip: engine === 'postgres' && 'the commands are the same',
  }, async () => {
    const argv = ['--data', site.site.config.data, '--apps='];
    const env = { CHANCERY_SECRET_KEY: SECRET_KEY, CHANCERY_ADMIN_PASSWORD: CANARY.adminPassword };
    for (const words of [
      ['config'],
      ['api-key', 'list'],
      ['secrets', 'check'],
      ['secrets', 'rotate'],
      ['help'],
    ]) {
      const { code, stdout, stderr } = await spawnChancery(
        words[0] === 'help' ? words : [...words, ...argv],
        { env },
      ).finished;
      assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
      requireNone(stdout + stderr, `chancery ${words.join(' ')}`);
    }
    const wrong = { ...env, CHANCERY_SECRET_KEY: CANARY.wrongKey };
    const refused = await spawnChancery(['api-key', 'list', ...argv], { env: wrong }).finished;
    assert.equal(refused.code, 2);
    requireNone(refused.stdout + refused.stderr, 'a refused configuration');
  });
});

test('no secret is given on a command line, which every user of a machine can read', () => {
  const flags = SETTINGS.filter(({ secret, flag }) => secret && flag !== undefined).map(({ flag }) => flag);
  // An address may be without a password; one with a password belongs in the environment.
  assert.deepEqual(flags, ['database', 'files']);
});
