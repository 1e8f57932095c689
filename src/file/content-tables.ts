import type { Dialect } from '../db/dialect.ts';
import { type Sql, type Statement, sql } from '../db/sql.ts';
import { datetime, integer, table, text } from '../db/table-spec.ts';

/** The target of each file url. `created_at` is UTC, whatever the site's time zone, because HTTP shows it. */
export const STORED_FILE_TABLE = table(
  '_stored_file',
  [
    text('file_url'),
    text('storage_key'),
    text('file_name'),
    text('image_type'),
    text('sha256'),
    integer('bytes'),
    integer('is_private'),
    datetime('created_at'),
  ],
  [{ name: '_ix_stored_file_key', columns: ['storage_key'], unique: true }],
);

/**
 * The contents of the storage: a row for every object with urls, which may share it, and for every object
 * that was given up (`swept_at`, milliseconds since the epoch; its `sha256` is its key). Objects stored by
 * former versions are deduplicated by bytes and privacy: one stays, and the others are collected.
 *
 * `_storage_writer` lists the processes that store files; `seen_at` is the last heartbeat of each, in
 * milliseconds since the epoch.
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

/** `deleted_file` describes the last File of bytes in quarantine, as JSON. */
export function quarantinedFiles(dialect: Dialect): readonly (Sql | Statement)[] {
  return dialect.changeSql({ change: 'add_column', table: '_stored_content', column: text('deleted_file') });
}

/**
 * Rows with `swept_at` are the quarantine: objects without a file, kept for some days. `is_deleted` is 1 when
 * a user deleted the last file, 0 when the database did not know the object.
 */
export function quarantineColumns(dialect: Dialect): readonly Sql[] {
  const integer = dialect.name === 'postgres' ? sql`bigint` : sql`integer`;
  return [
    sql`alter table "_stored_content" add column "is_deleted" ${integer} not null default 0`,
    sql`create index "_ix_stored_content_swept" on "_stored_content" ("swept_at") where "swept_at" is not null`,
  ];
}
