import { CURRENT_KEY, type KeyRing, keyId, keyRing, seal, TOKEN_KEY, unseal } from '../../access/seal.ts';
import type { Config } from '../../config/config.ts';
import type { Connection, Database } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { DATABASE_ID } from '../../file/site-mark.ts';
import type { Random } from '../../kernel/random.ts';
import { StartError } from '../start-error.ts';
import { type FoundKeys, makeKeyFile, readKeys, secretKeyFile } from './key-file.ts';
import { claimSetting, loadSettings, type SiteSettings, writeSetting } from './settings-table.ts';

/** In `_setting`: the ids of the keys that stored values may need, separated by spaces. */
export const KEYS_IN_USE = 'secret_key_ids';
/** The authenticated data of the token key. */
export const TOKEN_PLACE = 'setting|token_key';

/** In `_setting`: the id of the site; its copies have the same. */
export const SITE_ID = 'site_id';

/** The encryption keys of this site, and the key of its tokens. */
export interface SiteKeys {
  readonly keys: KeyRing;
  readonly secretKey: Buffer;
  /** The beginning of the id that a restore gave the database; null before a restore. */
  readonly restored: string | null;
}

/**
 * The configured or stored keys, or a new one. The database keeps digests of the keys that it needs, so that
 * a lost or wrong key shows at the start and not at the first secret that cannot be decrypted. In that case
 * it rejects with StartError.
 */
export async function openKeys(database: Database, config: Config, random: Random): Promise<SiteKeys> {
  const settings = await loadSettings(database.reader);
  const found = readKeys(config);
  const missing = missingIds(settings, found);
  if (missing.length > 0 && (await isKeyNeeded(database.reader))) throw wrongKey(config, found);
  const { configured, old } = found ?? { configured: await makeKeyFile(config, random), old: [] };
  return database.transaction(async (connection) => {
    const id = keyId(configured);
    if (missing.length > 0) {
      // Nothing is encrypted, so the lost key protected nothing.
      await writeSetting(connection, CURRENT_KEY, id);
      await writeSetting(connection, KEYS_IN_USE, id);
      await connection.run(sql`delete from "_setting" where "key" = ${TOKEN_KEY}`);
    }
    await claimSetting(connection, CURRENT_KEY, id);
    await claimSetting(connection, SITE_ID, random.bytes(16).toString('hex'));
    // Another node may have started at the same time, with the same keys or others.
    const now = await loadSettings(connection);
    if (missingIds(now, { configured, old }).length > 0) throw wrongKey(config, { configured, old });
    const keys = keyRing(now.get(SITE_ID) ?? '', configured, old);
    const restored = now.get(DATABASE_ID)?.slice(0, 8) ?? null;
    return { keys, secretKey: await tokenKey(connection, keys, random), restored };
  });
}

/** Checks that the needed keys exist; makes none. */
export async function checkSecretKey(
  connection: Connection,
  config: Config,
): Promise<'present' | 'missing' | 'wrong'> {
  const found = readKeys(config);
  if (!found) return 'missing';
  return missingIds(await loadSettings(connection), found).length === 0 ? 'present' : 'wrong';
}

/** Ids of the keys that stored values may need. */
export function idsInUse(settings: SiteSettings): string[] {
  const ids = [settings.get(CURRENT_KEY) ?? '', ...(settings.get(KEYS_IN_USE) ?? '').split(' ')];
  return [...new Set(ids)].filter((id) => id !== '');
}

function missingIds(settings: SiteSettings, found: FoundKeys | null): string[] {
  const there = new Set(found ? [found.configured, ...found.old].map(keyId) : []);
  return idsInUse(settings).filter((id) => !there.has(id));
}

// Made once, and kept when the keys change: otherwise a rotation would invalidate every cursor.
async function tokenKey(connection: Connection, keys: KeyRing, random: Random): Promise<Buffer> {
  const stored = (await loadSettings(connection)).get(TOKEN_KEY);
  if (stored !== undefined) return Buffer.from(unseal({ keys }, stored, TOKEN_PLACE), 'base64');
  const fresh = random.bytes(32).toString('base64');
  await claimSetting(connection, TOKEN_KEY, await seal({ keys, random }, connection, fresh, TOKEN_PLACE));
  const kept = (await loadSettings(connection)).get(TOKEN_KEY) ?? '';
  return Buffer.from(unseal({ keys }, kept, TOKEN_PLACE), 'base64');
}

function wrongKey(config: Config, found: FoundKeys | null): StartError {
  const problem = found ? 'is not the one this site was started with' : 'is missing';
  return new StartError(
    `The key that encrypts stored secrets ${problem}. Restore ${secretKeyFile(config)}, or set CHANCERY_SECRET_KEY ` +
      '(and CHANCERY_SECRET_KEYS_OLD, while former keys encrypt secrets).',
  );
}

// On PostgreSQL another node may be running with the missing key.
async function isKeyNeeded(connection: Connection): Promise<boolean> {
  if (connection.dialect.name === 'postgres') return true;
  const found = await connection.get(
    sql`select 1 as "found" where exists (select 1 from "_secret") or exists (select 1 from "_reply")`,
  );
  return found !== undefined;
}
