import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Site } from './context.ts';

/** What a Password field's column holds, and every reply shows, when a value is stored. */
export const PASSWORD_MASK = '*'.repeat(10);

/** True for what a form sends back when the user left a Password field alone. */
export function isMask(value: string): boolean {
  return /^\*+$/.test(value);
}

/** What encrypting needs of a site. */
export type SecretSite = Pick<Site, 'secretKey' | 'random'>;

// Layout of a stored value: base64 of version, 12-byte nonce, ciphertext, 16-byte tag.
const VERSION = 1;
const NONCE = 12;
const TAG = 16;

/** The clear text of a Password field, or null when none is stored. Throws when it was written with another key. */
export async function readSecret(
  site: SecretSite,
  connection: Connection,
  doctype: string,
  name: string,
  fieldname: string,
): Promise<string | null> {
  const row = await connection.get(
    sql`select "value" from "_secret" where "doctype" = ${doctype} and "name" = ${name} and "fieldname" = ${fieldname}`,
  );
  if (!row || typeof row['value'] !== 'string') return null;
  return unseal(site.secretKey, row['value'], `${doctype}|${name}|${fieldname}`);
}

/** Stores the clear text of a Password field, encrypted; the place is authenticated, so rows cannot be swapped. */
export async function writeSecret(
  site: SecretSite,
  connection: Connection,
  doctype: string,
  name: string,
  fieldname: string,
  value: string,
): Promise<void> {
  const sealed = seal(site, value, `${doctype}|${name}|${fieldname}`);
  await connection.run(
    sql`insert into "_secret" ("doctype", "name", "fieldname", "value")
        values (${doctype}, ${name}, ${fieldname}, ${sealed})
        on conflict ("doctype", "name", "fieldname") do update set "value" = excluded."value"`,
  );
}

/** Forgets one secret. */
export async function deleteSecret(
  connection: Connection,
  doctype: string,
  name: string,
  fieldname: string,
): Promise<void> {
  await connection.run(
    sql`delete from "_secret" where "doctype" = ${doctype} and "name" = ${name} and "fieldname" = ${fieldname}`,
  );
}

/** Forgets every secret of a document or row. */
export async function deleteSecrets(connection: Connection, doctype: string, name: string): Promise<void> {
  await connection.run(sql`delete from "_secret" where "doctype" = ${doctype} and "name" = ${name}`);
}

/** Moves a document's secrets to its new name; the name is authenticated, so each is encrypted anew. */
export async function renameSecrets(
  site: SecretSite,
  connection: Connection,
  doctype: string,
  oldName: string,
  newName: string,
): Promise<void> {
  const rows = await connection.all(
    sql`select "fieldname" from "_secret" where "doctype" = ${doctype} and "name" = ${oldName}`,
  );
  for (const row of rows) {
    const fieldname = String(row['fieldname']);
    const value = await readSecret(site, connection, doctype, oldName, fieldname);
    if (value !== null) await writeSecret(site, connection, doctype, newName, fieldname, value);
  }
  await deleteSecrets(connection, doctype, oldName);
}

/** Encrypts text with the site's key; `place` is authenticated, so that it opens only there. */
export function seal(site: SecretSite, clear: string, place: string): string {
  const nonce = site.random.bytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', site.secretKey, nonce);
  cipher.setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(clear, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, sealed, cipher.getAuthTag()]).toString('base64');
}

/** What `seal` encrypted. Throws when it was written with another key, or for another place. */
export function unseal(key: Buffer, stored: string, place: string): string {
  const bytes = Buffer.from(stored, 'base64');
  if (bytes[0] !== VERSION || bytes.length < 1 + NONCE + TAG)
    throw new Error(`unreadable secret of ${place}`);
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + NONCE));
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
  const clear = Buffer.concat([
    decipher.update(bytes.subarray(1 + NONCE, bytes.length - TAG)),
    decipher.final(),
  ]);
  return clear.toString('utf8');
}
