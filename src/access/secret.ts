import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { type SecretSite, seal, unseal } from './seal.ts';

/** The value of a Password field in its column and in every reply, when a password is stored. */
export const PASSWORD_MASK = '*'.repeat(10);

/** True for the value that a form sends for an unchanged Password field. */
export function isMask(value: string): boolean {
  return /^\*+$/.test(value);
}

/** The clear text of a Password field; null when none is stored. Throws when this process lacks the key. */
export async function loadSecret(
  site: Pick<SecretSite, 'keys'>,
  connection: Connection,
  doctype: string,
  name: string,
  fieldname: string,
): Promise<string | null> {
  const row = await connection.get(
    sql`select "value" from "_secret" where "doctype" = ${doctype} and "name" = ${name} and "fieldname" = ${fieldname}`,
  );
  if (!row || typeof row['value'] !== 'string') return null;
  return unseal(site, row['value'], placeOf(doctype, name, fieldname));
}

/**
 * Encrypts and stores the clear text of a Password field. The place is authenticated, so rows cannot be
 * swapped.
 */
export async function writeSecret(
  site: SecretSite,
  connection: Connection,
  doctype: string,
  name: string,
  fieldname: string,
  value: string,
): Promise<void> {
  const sealed = await seal(site, connection, value, placeOf(doctype, name, fieldname));
  await connection.run(
    sql`insert into "_secret" ("doctype", "name", "fieldname", "value")
        values (${doctype}, ${name}, ${fieldname}, ${sealed})
        on conflict ("doctype", "name", "fieldname") do update set "value" = excluded."value"`,
  );
}

/** Deletes one secret. */
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

/** Deletes every secret of a document or row. */
export async function deleteSecrets(connection: Connection, doctype: string, name: string): Promise<void> {
  await connection.run(sql`delete from "_secret" where "doctype" = ${doctype} and "name" = ${name}`);
}

/**
 * Moves a document's secrets to its new name. The name is authenticated, so each secret is encrypted again.
 */
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
    const value = await loadSecret(site, connection, doctype, oldName, fieldname);
    if (value !== null) await writeSecret(site, connection, doctype, newName, fieldname, value);
  }
  await deleteSecrets(connection, doctype, oldName);
}

/** The authenticated place of a document's secret. */
export function placeOf(doctype: string, name: string, fieldname: string): string {
  return `${doctype}|${name}|${fieldname}`;
}
