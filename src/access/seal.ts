import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { Connection } from '../db/database.ts';
import { EMPTY, sql } from '../db/sql.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Random } from '../kernel/random.ts';

/** An encryption key. Its id is public. */
export interface SealingKey {
  /** 32 hexadecimal digits of a digest. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

/** The keys of this process. The database names the one that encrypts, so that all nodes agree. */
export interface KeyRing {
  /** Encrypted values can be decrypted at this site only. */
  readonly siteId: string;
  /** The configured key. It encrypts from the first start, or from the next rotation on. */
  readonly configured: SealingKey;
  readonly byId: ReadonlyMap<string, SealingKey>;
}

/** The parts of a site that encryption uses. */
export interface SecretSite {
  readonly keys: KeyRing;
  readonly random: Random;
}

/** The key in `_setting` that stores the id of the encryption key. */
export const CURRENT_KEY = 'secret_key_id';
/** In `_setting`, sealed: the key of cursors, positions and tokens. Without it, the next start makes another. */
export const TOKEN_KEY = 'token_key';

const NONCE = 12;
const TAG = 16;
const SEALED = /^2:([0-9a-f]{32}):([A-Za-z0-9+/]+={0,2})$/;
/**
 * First byte of values in the first layout: base64 of this byte, nonce, ciphertext and tag. They do not name
 * their key.
 */
const FIRST_LAYOUT = 1;

export function keyRing(siteId: string, configured: Buffer, others: readonly Buffer[] = []): KeyRing {
  const keys = [configured, ...others].map((bytes) => ({ id: keyId(bytes), bytes }));
  return {
    siteId,
    configured: { id: keyId(configured), bytes: configured },
    byId: new Map(keys.map((key) => [key.id, key])),
  };
}

/** The id of a key. */
export function keyId(key: Buffer): string {
  return createHash('sha256').update('chancery secret key').update(key).digest('hex').slice(0, 32);
}

/** The prefix of values encrypted with this key. */
export function sealedBy(id: string): string {
  return `2:${id}:`;
}

/**
 * Encrypts text with the site's key, inside the transaction that stores it. A rotation and this transaction
 * wait for each other. `place`, the site and the key are authenticated, so the value can be decrypted only
 * there.
 * @throws ServiceError ServiceUnavailableError when this process was started without the key
 */
export async function seal(
  site: SecretSite,
  connection: Connection,
  clear: string,
  place: string,
): Promise<string> {
  return sealWith(site, await currentKey(site, connection), clear, place);
}

export function sealWith(site: SecretSite, key: SealingKey, clear: string, place: string): string {
  const nonce = site.random.bytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce);
  cipher.setAAD(Buffer.from(`${site.keys.siteId}|${key.id}|${place}`));
  const sealed = Buffer.concat([nonce, cipher.update(clear, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return sealedBy(key.id) + sealed.toString('base64');
}

/** Decrypts a value of `seal`. Throws when this process lacks the key, and for another place or site. */
export function unseal(site: Pick<SecretSite, 'keys'>, stored: string, place: string): string {
  const [, id = '', text = ''] = SEALED.exec(stored) ?? [];
  if (id === '') return unsealFirst(site.keys, stored, place);
  const key = site.keys.byId.get(id);
  if (!key) throw missingKey(id);
  return decrypt(key, Buffer.from(text, 'base64'), `${site.keys.siteId}|${id}|${place}`);
}

async function currentKey(site: SecretSite, connection: Connection): Promise<SealingKey> {
  const lock = connection.dialect.name === 'postgres' ? sql` for share` : EMPTY;
  const row = await connection.get(sql`select "value" from "_setting" where "key" = ${CURRENT_KEY}${lock}`);
  if (!row) return site.keys.configured;
  const id = String(row['value']);
  const key = site.keys.byId.get(id);
  if (!key) throw missingKey(id);
  return key;
}

function missingKey(id: string): ServiceError {
  return new ServiceError(
    'ServiceUnavailableError',
    `Stored secrets need the key ${id.slice(0, 8)}, which this server does not have`,
  );
}

function unsealFirst(keys: KeyRing, stored: string, place: string): string {
  const bytes = Buffer.from(stored, 'base64');
  if (bytes[0] === FIRST_LAYOUT) {
    for (const key of keys.byId.values()) {
      try {
        return decrypt(key, bytes.subarray(1), place);
      } catch {
        // Another key may have encrypted it.
      }
    }
  }
  throw new Error(`unreadable secret of ${place}`);
}

function decrypt(key: SealingKey, bytes: Buffer, authenticated: string): string {
  if (bytes.length < NONCE + TAG) throw new Error('a stored secret is too short');
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, NONCE), {
    authTagLength: TAG,
  });
  decipher.setAAD(Buffer.from(authenticated));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
  const clear = [decipher.update(bytes.subarray(NONCE, bytes.length - TAG)), decipher.final()];
  return Buffer.concat(clear).toString('utf8');
}
