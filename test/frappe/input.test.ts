/** The other files of a backup: tars of files, the configuration, and the secrets that its key opens. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { backupFiles } from '../../src/frappe/input/backup-files.ts';
import { Scratch } from '../../src/frappe/input/scratch.ts';
import { readSiteConfig } from '../../src/frappe/input/site-config.ts';
import { tarFiles, urlOf } from '../../src/frappe/input/tar.ts';
import { fernet } from '../../src/frappe/secrets/fernet.ts';
import { ENCRYPTION_KEY, fernetToken } from './support/secrets.ts';

const directory = mkdtempSync(join(tmpdir(), 'chancery-input-'));
after(() => rm(directory, { recursive: true, force: true }));

test('the files of a tar arrive with their addresses, long names too', async () => {
  const long = `${'ü'.repeat(60)}/${'long'.repeat(30)}.bin`;
  const folder = join(directory, 'shop.local');
  const contents: Record<string, string> = { 'a.txt': 'one', [long]: 'x'.repeat(700_000), 'b.txt': '' };
  for (const [name, content] of Object.entries(contents)) {
    const path = join(folder, 'private/files', name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, content);
  }
  const tar = join(directory, 'x-private-files.tgz');
  execFileSync('tar', ['-czf', tar, '-C', directory, './shop.local']);
  const found: Record<string, string> = {};
  for await (const { url, size, content } of tarFiles(tar, null)) {
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(chunk);
    found[url] = Buffer.concat(chunks).toString();
    assert.equal(found[url].length, size);
  }
  const wanted = Object.entries(contents).map(([name, content]) => [`/private/files/${name}`, content]);
  assert.deepEqual(found, Object.fromEntries(wanted));
});

test('entries of a tar outside the folders of files are nobody’s', () => {
  assert.equal(urlOf('./site/public/files/a/b.png'), '/files/a/b.png');
  for (const name of ['./site/private/files/../../x', './site/site_config.json', './site/public/files/'])
    assert.equal(urlOf(name), null, name);
});

test('a Fernet token opens with its own key, unchanged only', () => {
  const box = fernet(ENCRYPTION_KEY);
  const token = fernetToken('swordfish');
  assert.equal(box?.open(token), 'swordfish');
  const other = fernet(Buffer.alloc(32, 7).toString('base64url'));
  assert.equal(other?.open(token), null);
  assert.equal(box?.open(`${token.slice(0, 40)}A${token.slice(41)}`), null);
  assert.equal(box?.open('no token'), null);
  assert.equal(fernet('short'), null);
  // Made by Python's cryptography with this key.
  const made =
    'gAAAAABrC0ScQSArZ1iYGGiW0wE9bUwckhyzDtipd8wFW6FXIMHZsMibDrYD32WBw3LBakN9WC73kcf_kHtfauk00ZA3B18-l90UiFzCggCpIn0iuyARKlY=';
  assert.equal(fernet('2KRB5Hm61f6M8a8wbIhV9cGhBBMiafvv9P5tGcHnUQo=')?.open(made), 'Grüße aus Python');
});

test('the configuration gives its key, and the names of its settings', async () => {
  const path = join(directory, 'x-site_config_backup.json');
  writeFileSync(path, JSON.stringify({ db_name: 'shop', encryption_key: ENCRYPTION_KEY }));
  const config = await readSiteConfig(path, null);
  assert.deepEqual(config, { encryptionKey: ENCRYPTION_KEY, settings: ['db_name', 'encryption_key'] });
  writeFileSync(path, '[]');
  await assert.rejects(readSiteConfig(path, null), /must be a JSON object/);
});

test('the scratch database of an import has no name, so that a kill leaves nothing', () => {
  const folder = join(directory, 'scratch');
  mkdirSync(folder);
  const path = join(folder, 'import.db');
  writeFileSync(path, 'of an import that was killed');
  const scratch = new Scratch(path);
  const insert = scratch.add({ name: 'tabNote', columns: [{ name: 'name', type: 'varchar(140)' }] });
  scratch.begin();
  for (let at = 0; at < 5_000; at += 1) {
    insert({ cell: () => `${at} ${'x'.repeat(1_000)}`, isNull: () => false, hash: () => 0 });
  }
  scratch.staged();
  scratch.run('create index "by name" on "tabNote" ("name")');
  assert.equal(scratch.get('select count(*) as "count" from "tabNote"')?.['count'], '5000');
  assert.deepEqual(readdirSync(folder), []);
  scratch.close();
});

test('a backup is its folder, or its files one by one', () => {
  const folder = join(directory, 'backups');
  mkdirSync(folder);
  const names = ['database.sql.gz', 'files.tar', 'private-files.tar', 'site_config_backup.json'];
  const paths = names.map((name) => join(folder, `20260101_120000-shop-${name}`));
  for (const path of paths) writeFileSync(path, '');
  const [database, publicFiles, privateFiles, siteConfig] = paths;
  const wanted = { database, publicFiles, privateFiles, siteConfig };
  assert.deepEqual(backupFiles([folder]), wanted);
  assert.deepEqual(backupFiles(paths), wanted);
  assert.throws(() => backupFiles(paths.slice(1)), /The database of the backup is missing/);
  assert.throws(() => backupFiles([folder, ...paths]), /hold the same part/);
  assert.throws(() => backupFiles([join(directory, 'none.sql')]), /cannot be read/);
});
