import type { Dialect } from './dialect.ts';
import { type Sql, sql } from './sql.ts';

/**
 * What the storage holds: a row for every object that urls mean, which several may share, and for every object that was
 * given up (`swept_at`, milliseconds since the epoch; its `sha256` is its key). Objects of files that were stored before
 * are told apart by their bytes and privacy: one of each stays, and the others are collected as leftovers.
 *
 * `_storage_writer` has the processes that store files, `seen_at` when each was last heard of, in milliseconds since the epoch.
 */
export function contentTables(dialect: Dialect): readonly Sql[] {
  const postgres = dialect.name === 'postgres';
  const text = postgres ? sql`text collate "C"` : sql`text`;
  const integer = postgres ? sql`bigint` : sql`integer`;
  const suffix = postgres ? sql`` : sql` strict`;
  return [
    sql`create table "_stored_content" (
      "storage_key" ${text} primary key,
      "sha256" ${text} not null,
      "is_private" ${integer} not null,
      "bytes" ${integer} not null,
      "swept_at" ${integer}
    )${suffix}`,
    sql`create unique index "_ix_stored_content_sha256" on "_stored_content" ("sha256", "is_private")`,
    sql`insert into "_stored_content" ("storage_key", "sha256", "is_private", "bytes")
      select min("storage_key"), "sha256", "is_private", max("bytes") from "_stored_file"
      group by "sha256", "is_private"`,
    sql`drop index "_ix_stored_file_key"`,
    sql`update "_stored_file" set "storage_key" = (
      select "storage_key" from "_stored_content" as "content"
      where "content"."sha256" = "_stored_file"."sha256" and "content"."is_private" = "_stored_file"."is_private")`,
    sql`create index "_ix_stored_file_content" on "_stored_file" ("storage_key")`,
    sql`create table "_storage_writer" (
      "writer" ${text} primary key, "seen_at" ${integer} not null
    )${suffix}`,
  ];
}

/**
 * Rows with `swept_at` are the quarantine: objects that no file has, kept for some days. `is_deleted` is 1 for those whose
 * last file a user deleted, 0 for those that the database did not know.
 */
export function quarantineColumns(dialect: Dialect): readonly Sql[] {
  const integer = dialect.name === 'postgres' ? sql`bigint` : sql`integer`;
  return [
    sql`alter table "_stored_content" add column "is_deleted" ${integer} not null default 0`,
    sql`create index "_ix_stored_content_swept" on "_stored_content" ("swept_at") where "swept_at" is not null`,
  ];
}
