import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { type SecretSite, seal, unseal } from './seal.ts';

/** What a Password field's column holds, and every reply shows, when a value is stored. */
export const PASSWORD_MASK = '*'.repeat(10);

/** True for what a form sends back when the user left a Password field alone. */
export function isMask(value: string): boolean {
  return /^\*+$/.test(value);
}

/** The clear text of a Password field, or null when none is stored. Throws when its key is not here. */
export async function readSecret(
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

/** Stores the clear text of a Password field, encrypted; the place is authenticated, so rows cannot be swapped. */
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

/** What is authenticated with a secret of a document. */
export function placeOf(doctype: string, name: string, fieldname: string): string {
  return `${doctype}|${name}|${fieldname}`;
}
