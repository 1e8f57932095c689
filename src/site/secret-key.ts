import { createHash } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { Connection, Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Random } from '../kernel/random.ts';
import { makeSecretKey, readSecretKey, secretKeyFile } from './data-directory.ts';
import { claimSetting, readSettings, writeSetting } from './settings-table.ts';
import { StartError } from './start-error.ts';

const KEY_ID = 'secret_key_id';

/**
 * The configured or stored key, or a new one. The database remembers a digest of it, so that a lost or mistaken key
 * shows at start and not at the first unreadable secret. Rejects with StartError then.
 */
export async function openSecretKey(database: Database, config: Config, random: Random): Promise<Buffer> {
  const known = (await readSettings(database.reader)).get(KEY_ID);
  const found = readSecretKey(config);
  if (found && known === digestOf(found)) return found;
  if (known !== undefined && (await isKeyNeeded(database.reader))) throw wrongKey(config, found);
  const key = found ?? makeSecretKey(config, random);
  await database.transaction(async (connection) => {
    if (known !== undefined) await writeSetting(connection, KEY_ID, digestOf(key));
    else if (!(await claimSetting(connection, KEY_ID, digestOf(key)))) {
      // Another node started at this very moment, with the same key or one of its own.
      const theirs = (await readSettings(connection)).get(KEY_ID);
      if (theirs !== digestOf(key)) throw wrongKey(config, key);
    }
  });
  return key;
}

/** Whether the key is there and the right one; makes none. */
export async function checkSecretKey(
  connection: Connection,
  config: Config,
): Promise<'present' | 'missing' | 'wrong'> {
  const known = (await readSettings(connection)).get(KEY_ID);
  const found = readSecretKey(config);
  if (!found) return 'missing';
  return known === undefined || known === digestOf(found) ? 'present' : 'wrong';
}

function wrongKey(config: Config, found: Buffer | null): StartError {
  const problem = found ? 'is not the one this site was started with' : 'is missing';
  return new StartError(
    `The key that encrypts stored secrets ${problem}. Restore ${secretKeyFile(config)}, or set CHANCERY_SECRET_KEY.`,
  );
}

// On PostgreSQL another node may be running with the key that is missing here.
async function isKeyNeeded(connection: Connection): Promise<boolean> {
  if (connection.dialect.name === 'postgres') return true;
  return (await connection.get(sql`select 1 as "found" from "_secret" limit 1`)) !== undefined;
}

function digestOf(key: Buffer): string {
  return createHash('sha256').update('chancery secret key').update(key).digest('hex').slice(0, 32);
}
