import { hash } from 'node:crypto';
import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';

/** A user's identity at a provider. `subject` is unique there and never changes. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** The user linked to an identity; null when there is none. */
export async function userOfIdentity(connection: Connection, identity: Identity): Promise<string | null> {
  const row = await connection.get(
    sql`select "user" from "_identity" where "key" = ${identityKey(identity)}`,
  );
  return row ? String(row['user']) : null;
}

/** Links an identity to a user unless it is linked already. Resolves to the linked user. */
export async function linkIdentity(
  connection: Connection,
  identity: Identity,
  user: string,
  now: number,
): Promise<string> {
  await connection.run(sql`
    insert into "_identity" ("key", "issuer", "subject", "user", "created_at")
    values (${identityKey(identity)}, ${identity.issuer}, ${identity.subject}, ${user}, ${now})
    on conflict ("key") do nothing`);
  return (await userOfIdentity(connection, identity)) ?? user;
}

/** Deletes all identities of a user. */
export async function dropIdentitiesOf(connection: Connection, user: string): Promise<void> {
  await connection.run(sql`delete from "_identity" where "user" = ${user}`);
}

/** Keeps the identities of a renamed user. */
export async function moveIdentities(connection: Connection, user: string, newName: string): Promise<void> {
  await connection.run(sql`update "_identity" set "user" = ${newName} where "user" = ${user}`);
}

function identityKey({ issuer, subject }: Identity): string {
  return hash('sha256', JSON.stringify([issuer, subject]), 'hex');
}
