import { hash } from 'node:crypto';
import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';

/** Whom a provider says somebody is: `subject` never changes and is nobody else's there. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** The user that an identity was linked to; null when there is none. */
export async function userOfIdentity(connection: Connection, identity: Identity): Promise<string | null> {
  const row = await connection.get(sql`select "user" from "_identity" where "key" = ${keyOf(identity)}`);
  return row ? String(row['user']) : null;
}

/** Links an identity to a user, unless somebody was faster: resolves to whose it is now. */
export async function linkIdentity(
  connection: Connection,
  identity: Identity,
  user: string,
  now: number,
): Promise<string> {
  await connection.run(sql`
    insert into "_identity" ("key", "issuer", "subject", "user", "created_at")
    values (${keyOf(identity)}, ${identity.issuer}, ${identity.subject}, ${user}, ${now})
    on conflict ("key") do nothing`);
  return (await userOfIdentity(connection, identity)) ?? user;
}

/** Forgets whom a user was elsewhere. */
export async function dropIdentitiesOf(connection: Connection, user: string): Promise<void> {
  await connection.run(sql`delete from "_identity" where "user" = ${user}`);
}

/** A renamed user stays who they are elsewhere. */
export async function moveIdentities(connection: Connection, user: string, newName: string): Promise<void> {
  await connection.run(sql`update "_identity" set "user" = ${newName} where "user" = ${user}`);
}

function keyOf({ issuer, subject }: Identity): string {
  return hash('sha256', JSON.stringify([issuer, subject]), 'hex');
}
