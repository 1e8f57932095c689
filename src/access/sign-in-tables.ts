import type { Dialect } from '../db/dialect.ts';
import { type Sql, sql } from '../db/sql.ts';

/**
 * The tables of sign-in besides passwords and sessions. Times are milliseconds since the epoch.
 *
 * `_login_attempt`: counts of failures. The key is a digest, so that no typed text is stored.
 * `_second_factor`: the secret itself is in `_secret`; `last_step` is the newest half-minute with a used
 * code. `_recovery_code`, `_token`: digests of single-use codes and tokens. `kind` is the purpose of a token.
 */
export function signInTables(dialect: Dialect): readonly Sql[] {
  const postgres = dialect.name === 'postgres';
  const text = postgres ? sql`text collate "C"` : sql`text`;
  const integer = postgres ? sql`bigint` : sql`integer`;
  const strict = postgres ? sql`` : sql` strict`;
  return [
    sql`alter table "_session" add column "address" ${text}`,
    sql`alter table "_session" add column "user_agent" ${text}`,
    sql`create table "_login_attempt" (
      "key" ${text} primary key,
      "count" ${integer} not null,
      "until_at" ${integer} not null,
      "expires_at" ${integer} not null
    )${strict}`,
    sql`create index "_ix_login_attempt_expires_at" on "_login_attempt" ("expires_at")`,
    sql`create table "_second_factor" (
      "user" ${text} primary key,
      "confirmed" ${integer} not null,
      "last_step" ${integer} not null,
      "created_at" ${integer} not null
    )${strict}`,
    sql`create table "_recovery_code" (
      "digest" ${text} primary key,
      "user" ${text} not null
    )${strict}`,
    sql`create index "_ix_recovery_code_user" on "_recovery_code" ("user")`,
    sql`create table "_token" (
      "digest" ${text} primary key,
      "kind" ${text} not null,
      "user" ${text} not null,
      "expires_at" ${integer} not null
    )${strict}`,
    sql`create index "_ix_token_user" on "_token" ("user")`,
    sql`create index "_ix_token_expires_at" on "_token" ("expires_at")`,
  ];
}

/** The digest of the secret of the API key that began a session; null for other sessions. */
export function sessionsOfKeys(dialect: Dialect): readonly Sql[] {
  const text = dialect.name === 'postgres' ? sql`text collate "C"` : sql`text`;
  return [sql`alter table "_session" add column "key_digest" ${text}`];
}
