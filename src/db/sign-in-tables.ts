import type { Dialect } from './dialect.ts';
import { type Sql, sql } from './sql.ts';

/**
 * What signing in needs beside passwords and sessions. Times are milliseconds since the epoch.
 *
 * `_login_attempt`: failures by what they are counted for, a digest, so that nothing that was typed is kept.
 * `_second_factor`: the secret is with the others, in `_secret`; `last_step` is the newest half-minute whose code was used.
 * `_recovery_code`, `_token`: digests of what was handed out once. `kind` says what a token opens.
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

/** The digest of the API key's secret that a session was begun with; null for other ones. */
export function sessionsOfKeys(dialect: Dialect): readonly Sql[] {
  const text = dialect.name === 'postgres' ? sql`text collate "C"` : sql`text`;
  return [sql`alter table "_session" add column "key_digest" ${text}`];
}
