import { hash } from 'node:crypto';
import { checkNewPassword } from '../../access/password-policy.ts';
import type { Config } from '../../config/config.ts';
import type { Connection } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { parseAddress, plainAddress } from '../../kernel/ip-address.ts';
import { loadSettings, writeSetting } from '../settings/settings-table.ts';
import { StartError } from '../start-error.ts';

/** The setting that records an easily guessed password of the first start: a digest of its hash. */
const GUESSABLE = 'guessable_password';

/** The least number of characters of a secret that is safe from guessing. */
const SECRET_LEAST = 16;

/**
 * Refuses easily guessed credentials on a server that others can reach: on an address other than this
 * machine's own, or behind a proxy.
 * @throws StartError
 */
export async function requireGuarded(
  connection: Connection,
  config: Config,
  isFirst: boolean,
): Promise<void> {
  const isOwn = isLoopback(config.host);
  if (isOwn && config.trustProxy.length === 0) return;
  const place = isOwn ? 'behind a proxy (trustProxy)' : `on ${config.host}`;
  const reason = isFirst ? weaknessOf(config.adminPassword) : null;
  if (reason !== null) {
    throw new StartError(
      `CHANCERY_ADMIN_PASSWORD is too weak for a server ${place}: ${reason}. Choose another, or listen on 127.0.0.1.`,
    );
  }
  const secret = config.adminApiKey?.slice(config.adminApiKey.indexOf(':') + 1);
  if (secret !== undefined && secret.length < SECRET_LEAST) {
    throw new StartError(
      `The secret of CHANCERY_ADMIN_API_KEY is too short for a server ${place}: it needs at least ${SECRET_LEAST} characters. Choose another, or listen on 127.0.0.1.`,
    );
  }
  if (await hasGuessablePassword(connection)) {
    throw new StartError(
      `The password of Administrator is too common for a server ${place}. Choose another: chancery user set-password Administrator. Or listen on 127.0.0.1.`,
    );
  }
}

/**
 * Runs in the transaction that stores the first password: records a password that is safe only on a server
 * that nobody else reaches.
 */
export async function rememberGuessable(
  connection: Connection,
  config: Config,
  storedHash: string,
): Promise<void> {
  if (weaknessOf(config.adminPassword) === null) return;
  await writeSetting(connection, GUESSABLE, hash('sha256', storedHash, 'hex'));
}

// Every other way to set a password refuses such passwords, so only the hash of the first start needs a
// check.
async function hasGuessablePassword(connection: Connection): Promise<boolean> {
  const noted = (await loadSettings(connection)).get(GUESSABLE);
  if (noted === undefined) return false;
  const row = await connection.get(sql`select "hash" from "_password" where "user" = 'Administrator'`);
  return typeof row?.['hash'] === 'string' && hash('sha256', row['hash'], 'hex') === noted;
}

/** The reason why a password is easy to guess; null without one. */
function weaknessOf(password: string | null): string | null {
  if (password === null) return null;
  try {
    checkNewPassword(password, ['Administrator']);
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

/** True for an address that only this machine reaches. */
function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const address = parseAddress(host);
  if (!address) return false;
  const plain = plainAddress(address);
  return plain.length === 4
    ? plain[0] === 127
    : plain.every((byte, index) => byte === (index === 15 ? 1 : 0));
}
