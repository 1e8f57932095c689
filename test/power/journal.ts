import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { loadSecret } from '../../src/access/secret.ts';
import { Repository } from '../../src/backup/store/repository.ts';
import { diskTarget } from '../../src/backup/store/target-disk.ts';
import { verifyBackup } from '../../src/backup/verify.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { findDamage } from '../../src/db/find-damage.ts';
import { sql } from '../../src/db/sql.ts';
import { findStoredFile } from '../../src/file/stored-file.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';

/** What a site has promised to somebody. */
export type Promised =
  | { readonly kind: 'started' | 'rotated' | 'restored' }
  | { readonly kind: 'doctype'; readonly column: string }
  | { readonly kind: 'entry'; readonly name: string; readonly text: string; readonly secret: string }
  | { readonly kind: 'deleting' | 'deleted'; readonly text: string }
  | { readonly kind: 'file'; readonly url: string; readonly sha256: string }
  | { readonly kind: 'backup'; readonly name: string };

/**
 * Starts a site on what a power failure left, and rejects unless all promises are kept, and everything that is there
 * is whole. Nothing may be there if nothing was promised; a start then goes on.
 */
export async function keepsPromises(root: string, promised: readonly Promised[]): Promise<void> {
  const data = join(root, 'site', 'data');
  if (promised.some(({ kind }) => kind === 'started')) {
    assert.ok(existsSync(join(data, 'chancery.db')), 'the database is gone');
    assert.ok(existsSync(join(data, 'secret.key')), 'secret.key is gone');
  }
  const config = { ...DEFAULT_CONFIG, port: 0, data, adminPassword: 'admin-password' };
  const site = await openSite(config, { apps: [] });
  try {
    assert.deepEqual((await findDamage(site.database.reader)).found, []);
    // Such a document may be there until its deletion is promised. Its name may be given again.
    const deleted = new Set(promised.flatMap((one) => (one.kind === 'deleting' ? [one.text] : [])));
    for (const one of promised)
      if (one.kind !== 'entry' || !deleted.has(one.text)) await keeps(site, root, one);
    await isWhole(site);
  } finally {
    await site.close();
  }
}

async function keeps(site: OpenSite, root: string, promised: Promised): Promise<void> {
  const { reader } = site.database;
  switch (promised.kind) {
    case 'entry': {
      const row = await reader.get(sql`select "text" from "Entry" where "name" = ${promised.name}`);
      assert.equal(row?.['text'], promised.text, `the document ${promised.name}`);
      const secret = await loadSecret(site, reader, 'Entry', promised.name, 'secret');
      assert.equal(secret, promised.secret, `the secret of ${promised.name}`);
      return;
    }
    case 'deleted': {
      const row = await reader.get(sql`select 1 as "is" from "Entry" where "text" = ${promised.text}`);
      assert.equal(row, undefined, `the deleted document ${promised.text} is back`);
      return;
    }
    case 'file': {
      const file = await findStoredFile(reader, promised.url);
      assert.ok(file, `the file ${promised.url} is unknown`);
      assert.equal(await digestOf(site, file.storageKey), promised.sha256, `the file ${promised.url}`);
      return;
    }
    case 'doctype':
      assert.ok(site.doctypes.get('Entry').columnByName.has(promised.column), `the field ${promised.column}`);
      return;
    case 'backup': {
      const target = diskTarget(join(root, 'site', 'backups', 'here'));
      const repository = await Repository.open(target, { key: null, now: Date.now });
      const manifest = await repository.manifest(promised.name);
      for await (const problem of verifyBackup(repository, manifest, () => {})) assert.fail(problem);
      return;
    }
    case 'restored': {
      const data = join(root, 'site', 'restored');
      const restored = await openSite({ ...DEFAULT_CONFIG, port: 0, data }, { apps: [] });
      try {
        assert.ok(restored.doctypes.find('Entry'), 'the restored site is empty');
        await isWhole(restored);
      } finally {
        await restored.close();
      }
      return;
    }
    case 'deleting':
    case 'started':
    case 'rotated':
  }
}

/** A document is never without its file, promised or not. */
async function isWhole(site: OpenSite): Promise<void> {
  for (const row of await site.database.reader.all(
    sql`select "file_url" from "File" where "is_folder" = 0`,
  )) {
    const file = await findStoredFile(site.database.reader, String(row['file_url']));
    assert.ok(file, `no content of ${row['file_url']}`);
    assert.equal(await digestOf(site, file.storageKey), file.sha256, `the bytes of ${row['file_url']}`);
  }
}

async function digestOf({ storage }: OpenSite, key: string): Promise<string> {
  const found = await storage.open(key);
  assert.ok(found, `the object ${key} is gone`);
  const body = Buffer.isBuffer(found.body) ? found.body : await buffer(found.body);
  return hash('sha256', body);
}
