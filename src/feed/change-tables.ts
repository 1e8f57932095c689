import type { Dialect } from '../db/dialect.ts';
import { type Sql, sql } from '../db/sql.ts';

/**
 * The change feed: changes to documents of followed doctypes, ordered by `tx` and `id`.
 *
 * On PostgreSQL, `tx` is the transaction's number. Readers compare it with the oldest transaction still
 * running, because numbers of a sequence become visible out of order. SQLite has one writer, so `tx` is 0 and
 * `id` alone gives the order. `snapshot` is the JSON text of a deleted document; without it, the readers of
 * the document could not be determined. `created_at` and `until` are milliseconds since the epoch.
 *
 * `_change_follow`: changes of `doctype` are recorded until `until`. The feed is complete after `since_tx`,
 * `since_id`; both are null until they are known.
 */
export function changeTables(dialect: Dialect): readonly Sql[] {
  const postgres = dialect.name === 'postgres';
  const text = postgres ? sql`text collate "C"` : sql`text`;
  const integer = postgres ? sql`bigint` : sql`integer`;
  const strict = postgres ? sql`` : sql` strict`;
  const order = postgres
    ? sql`"tx" bigint not null default (pg_current_xact_id()::text::bigint),
      "id" bigint generated always as identity, primary key ("tx", "id")`
    : sql`"tx" integer not null default 0, "id" integer primary key autoincrement`;
  return [
    sql`create table "_change" (
      "doctype" ${text} not null,
      "name" ${text} not null,
      "event" ${text} not null,
      "old_name" ${text},
      "modified" ${text} not null,
      "snapshot" ${text},
      "created_at" ${integer} not null,
      ${order}
    )${strict}`,
    sql`create table "_change_follow" (
      "doctype" ${text} primary key,
      "since_tx" ${integer},
      "since_id" ${integer},
      "until" ${integer} not null
    )${strict}`,
  ];
}
