import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { unseal } from '../../access/seal.ts';
import { placeOf } from '../../access/secret.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import type { Connection, Row } from '../../db/database.ts';
import { ident, join, sql } from '../../db/sql.ts';
import type { Site } from '../../document/contract.ts';
import { ServiceError } from '../../kernel/errors.ts';

/** The secrets of a site in clear text: values of Password fields, hashes of passwords, digests of API keys. */
export interface ArchivedSecrets {
  /** `doctype`, `name`, `fieldname`, `value`. */
  readonly fields: readonly Row[];
  /** `user`, `hash`. */
  readonly passwords: readonly Row[];
  /** Rows of `_api_key`. */
  readonly keys: readonly Row[];
}

/** Reads all secrets. @throws ServiceError ServiceUnavailableError when this process lacks the key */
export async function readSecrets(site: Site): Promise<ArchivedSecrets> {
  const { reader } = site.database;
  const sealed = await reader.all(
    sql`select "doctype", "name", "fieldname", "value" from "_secret" order by "doctype", "name", "fieldname"`,
  );
  return {
    fields: sealed.map((row) => {
      const place = placeOf(String(row['doctype']), String(row['name']), String(row['fieldname']));
      return { ...row, value: unseal(site, String(row['value']), place) };
    }),
    passwords: await reader.all(sql`select "user", "hash" from "_password" order by "user"`),
    keys: await reader.all(sql`select * from "_api_key" order by "api_key"`),
  };
}

/** Stores hashes of passwords and keys; those of Administrator stay as they are on this site. */
export async function storeCredentials(db: Connection, { passwords, keys }: ArchivedSecrets): Promise<void> {
  for (const { user, hash } of passwords) {
    if (user === ADMINISTRATOR.name) continue;
    await db.run(
      sql`insert into "_password" ("user", "hash") values (${user ?? null}, ${hash ?? null})
          on conflict ("user") do update set "hash" = excluded."hash"`,
    );
  }
  for (const row of keys) {
    const columns = Object.keys(row);
    const values = columns.map((column) => sql`${row[column] ?? null}`);
    await db.run(
      sql`insert into "_api_key" (${join(columns.map(ident))}) values (${join(values)})
          on conflict ("api_key") do nothing`,
    );
  }
}

/** First line of an encrypted file of secrets. */
const MAGIC = 'chancery secrets 1';
const SALT = 16;
const NONCE = 12;
const TAG = 16;
/** About 100 ms and 32 MiB for each guess. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

/** Encrypts secrets with a passphrase: scrypt makes the key, AES-256-GCM encrypts. */
export function encryptSecrets(secrets: ArchivedSecrets, passphrase: string): Buffer {
  const salt = randomBytes(SALT);
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', scryptSync(passphrase, salt, 32, COST), nonce);
  cipher.setAAD(Buffer.from(MAGIC));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.from(`${MAGIC}\n`), salt, nonce, cipher.getAuthTag(), sealed]);
}

/** @throws ServiceError ValidationError for another passphrase, or a damaged file */
export function decryptSecrets(bytes: Buffer, passphrase: string): ArchivedSecrets {
  const start = MAGIC.length + 1;
  const saltEnd = start + SALT;
  const nonceEnd = saltEnd + NONCE;
  const tagEnd = nonceEnd + TAG;
  try {
    if (bytes.length < tagEnd || bytes.toString('latin1', 0, start) !== `${MAGIC}\n`)
      throw new Error('no secrets');
    const key = scryptSync(passphrase, bytes.subarray(start, saltEnd), 32, COST);
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(saltEnd, nonceEnd), {
      authTagLength: TAG,
    });
    decipher.setAAD(Buffer.from(MAGIC));
    decipher.setAuthTag(bytes.subarray(nonceEnd, tagEnd));
    const text = Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('utf8');
    return JSON.parse(text) as ArchivedSecrets;
  } catch {
    throw new ServiceError(
      'ValidationError',
      'The secrets cannot be decrypted: the passphrase is another, or they are damaged',
    );
  }
}
