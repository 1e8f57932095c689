/** The keys that encrypt secrets: several at once, replaced beside a running server, and never missing unnoticed. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { keyId } from '../../src/access/seal.ts';
import { loadSecret } from '../../src/access/secret.ts';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { inspectSecrets, rotateSecrets } from '../../src/site/settings/rotate-secrets.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { engineOf } from '../support/describe-site.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { spawnChancery, startServerProcess } from '../support/server-process.ts';

const [A, B, C] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
const text = (key: Buffer) => key.toString('base64');
const root = mkdtempSync(join(tmpdir(), 'chancery-secrets-'));
after(() => rmSync(root, { recursive: true, force: true }));

const HOOK = {
  webhook_doctype: 'User',
  webhook_docevent: 'after_insert',
  request_url: 'https://example.com/hook',
};

async function addWebhook(site: OpenSite, secret: string): Promise<string> {
  const doc = await unitOfWork(site, ADMINISTRATOR, (ctx) =>
    createDocument(ctx, 'Webhook', { ...HOOK, secret }),
  );
  return doc.name;
}

const secretOf = (site: OpenSite, name: string) =>
  loadSecret(site, site.database.reader, 'Webhook', name, 'secret');

const storedIn = async (site: OpenSite) =>
  (await site.database.reader.all(sql`select "value" from "_secret" order by "name"`)).map(({ value }) =>
    String(value),
  );

for (const engine of engineOf('keys of secrets')) {
  describe(`keys of secrets on ${engine}`, () => {
    async function fresh() {
      const database = engine === 'postgres' ? await freshDatabaseUrl('postgres') : null;
      const data = mkdtempSync(join(root, 'data-'));
      const configOf = (key: Buffer, old: readonly Buffer[] = []): Config => ({
        ...DEFAULT_CONFIG,
        data,
        database: database?.url ?? null,
        apps: [],
        secretKey: text(key),
        secretKeysOld: old.map(text),
      });
      const open = (config: Config, tool = false) => openSite(config, { apps: [], tool });
      return { configOf, open, drop: async () => database?.drop() };
    }

    test('a rotation activates a new key while a node runs', async () => {
      const { configOf, open, drop } = await fresh();
      const first = await open(configOf(A));
      const one = await addWebhook(first, 'secret one');
      const token = first.secretKey;
      await first.close();

      // Until the rotation the former key encrypts: nodes with the former configuration read everything.
      const node = await open(configOf(B, [A]));
      const two = await addWebhook(node, 'secret two');
      assert.ok((await storedIn(node)).every((value) => value.startsWith(`2:${keyId(A)}:`)));

      const tool = await open(configOf(B, [A]), true);
      assert.deepEqual(await rotateSecrets(tool), { changed: 3, unreadable: [] });
      assert.deepEqual(await rotateSecrets(tool), { changed: 0, unreadable: [] });
      const three = await addWebhook(node, 'secret three');
      assert.ok((await storedIn(node)).every((value) => value.startsWith(`2:${keyId(B)}:`)));
      for (const [name, secret] of [
        [one, 'secret one'],
        [two, 'secret two'],
        [three, 'secret three'],
      ] as const)
        assert.equal(await secretOf(node, name), secret);
      await tool.close();
      await node.close();

      const last = await open(configOf(B));
      assert.equal(await secretOf(last, one), 'secret one');
      assert.deepEqual(last.secretKey, token, 'cursors outlive the key');
      await last.close();
      await assert.rejects(open(configOf(A)), /not the one this site was started with/);
      await drop();
    });

    test('a node without the new key writes no secrets, and says why', async () => {
      const { configOf, open, drop } = await fresh();
      const node = await open(configOf(A));
      const name = await addWebhook(node, 'before');
      const tool = await open(configOf(B, [A]), true);
      await rotateSecrets(tool);
      await tool.close();
      await assert.rejects(addWebhook(node, 'after'), { type: 'ServiceUnavailableError' });
      await assert.rejects(secretOf(node, name), { type: 'ServiceUnavailableError' });
      await node.close();
      await drop();
    });

    test('the next rotation finishes an interrupted one; both keys are needed until then', async () => {
      const { configOf, open, drop } = await fresh();
      const site = await open(configOf(A));
      const names: string[] = [];
      for (let index = 0; index < 5; index += 1) names.push(await addWebhook(site, `secret ${index}`));
      const former = await storedIn(site);
      await site.close();
      const tool = await open(configOf(B, [A]));
      await rotateSecrets(tool);
      // As if it had been killed before it came to the last ones, and before it could say that it was done.
      const last = [...names].sort().at(-1) ?? '';
      await tool.database.transaction(async (db) => {
        await db.run(sql`update "_secret" set "value" = ${former.at(-1) ?? ''} where "name" = ${last}`);
        await db.run(
          sql`update "_setting" set "value" = ${`${keyId(A)} ${keyId(B)}`} where "key" = 'secret_key_ids'`,
        );
      });
      await tool.close();
      await assert.rejects(open(configOf(B)), /key that encrypts stored secrets/);
      const again = await open(configOf(B, [A]));
      assert.deepEqual((await inspectSecrets(again)).unreadable, []);
      assert.equal((await rotateSecrets(again)).changed, 1);
      await again.close();
      const rotated = await open(configOf(B));
      for (const [index, name] of names.entries())
        assert.equal(await secretOf(rotated, name), `secret ${index}`);
      await rotated.close();
      await drop();
    });

    test('a secret can be decrypted only in its place, on its site and with its key', async () => {
      const { configOf, open, drop } = await fresh();
      const site = await open(configOf(A));
      const [one, two] = [await addWebhook(site, 'one'), await addWebhook(site, 'two')];
      const [value = ''] = await storedIn(site);
      const put = (changed: string) =>
        site.database.transaction((db) => db.run(sql`update "_secret" set "value" = ${changed}`));
      await put(value);
      const read = await Promise.allSettled([secretOf(site, one), secretOf(site, two)]);
      assert.deepEqual(read.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      await put(value.slice(0, -8));
      await assert.rejects(secretOf(site, one));
      await put(value.replace(keyId(A), keyId(C)));
      await assert.rejects(secretOf(site, one), { type: 'ServiceUnavailableError' });
      await put(value);
      await site.database.transaction((db) =>
        db.run(sql`update "_setting" set "value" = 'other' where "key" = 'site_id'`),
      );
      const unreadable = (await inspectSecrets(site)).unreadable.length;
      assert.equal(unreadable, 1);
      await site.close();
      await drop();
    });

    test('values in the first layout are read and rotated', async () => {
      const { configOf, open, drop } = await fresh();
      const site = await open(configOf(B, [A]));
      const name = await addWebhook(site, 'x');
      const { createCipheriv } = await import('node:crypto');
      const cipher = createCipheriv('aes-256-gcm', A, Buffer.alloc(12));
      cipher.setAAD(Buffer.from(`Webhook|${name}|secret`));
      const parts = [
        Buffer.of(1),
        Buffer.alloc(12),
        cipher.update('long ago', 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ];
      const value = Buffer.concat(parts).toString('base64');
      await site.database.transaction((db) => db.run(sql`update "_secret" set "value" = ${value}`));
      assert.equal(await secretOf(site, name), 'long ago');
      await rotateSecrets(site);
      assert.match((await storedIn(site)).join(), new RegExp(`^2:${keyId(B)}:`));
      assert.equal(await secretOf(site, name), 'long ago');
      await unitOfWork(site, ADMINISTRATOR, (ctx) => updateDocument(ctx, 'Webhook', name, { secret: 'new' }));
      assert.equal(await secretOf(site, name), 'new');
      await site.close();
      await drop();
    });
  });
}

test('a key file that others can read stops the start', { skip: process.platform === 'win32' }, async () => {
  const data = mkdtempSync(join(root, 'data-'));
  const config = { ...DEFAULT_CONFIG, data, apps: [] };
  await (await openSite(config, { apps: [] })).close();
  for (const mode of [0o640, 0o604, 0o660]) {
    chmodSync(join(data, 'secret.key'), mode);
    await assert.rejects(openSite(config, { apps: [] }), /is readable by other users.*chmod 600/);
  }
  chmodSync(join(data, 'secret.key'), 0o400);
  await (await openSite(config, { apps: [] })).close();
});

test('check, new-key and rotate work while the server runs, even after a kill', async () => {
  const data = mkdtempSync(join(root, 'data-'));
  const argv = ['--data', data, '--apps='];
  const env = { CHANCERY_ADMIN_API_KEY: 'key:secret' };
  const headers = { authorization: 'token key:secret', 'content-type': 'application/json' };
  const call = async (url: string, secret: string) =>
    (
      await fetch(`${url}/api/resource/Webhook`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ ...HOOK, secret }),
      })
    ).status;
  let server = await startServerProcess(argv, { env });
  assert.equal(await call(server.url, 'first secret'), 200);
  const made = await spawnChancery(['secrets', 'new-key', ...argv]).finished;
  assert.equal(made.code, 0, made.stderr);
  const keys = readFileSync(join(data, 'secret.key'), 'utf8').trim().split('\n');
  assert.equal(keys.length, 2);
  assert.ok(keys.every((key) => !made.stdout.includes(key)));
  await server.end('SIGTERM');
  server = await startServerProcess(argv, { env });
  const killed = spawnChancery(['secrets', 'rotate', ...argv]);
  await killed.end('SIGKILL');
  const rotated = await spawnChancery(['secrets', 'rotate', ...argv]).finished;
  assert.equal(rotated.code, 0, rotated.stderr);
  assert.match(rotated.stdout, /Older keys are no longer needed/);
  assert.equal(await call(server.url, 'second secret'), 200);
  const checked = await spawnChancery(['secrets', 'check', ...argv]).finished;
  assert.equal(checked.code, 0, checked.stderr);
  assert.match(
    checked.stdout,
    /3 values under key \w{8} \(configured\)\n0 values under key \w{8} \(no longer needed\)/,
  );
  assert.ok(keys.every((key) => !(rotated.stdout + checked.stdout).includes(key)));
  await server.end('SIGTERM');
});
