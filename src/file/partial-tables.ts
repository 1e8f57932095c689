import type { Dialect } from '../db/dialect.ts';
import { type Sql, sql } from '../db/sql.ts';

/**
 * Resumable uploads: the bytes received, and the objects that hold them, in the order of `start`. `holder` is
 * the user (or key) who may continue, `metadata` JSON as sent, `touched_at` milliseconds since the epoch,
 * `file` the finished File document.
 */
export function partialTables(dialect: Dialect): readonly Sql[] {
  const postgres = dialect.name === 'postgres';
  const text = postgres ? sql`text collate "C"` : sql`text`;
  const integer = postgres ? sql`bigint` : sql`integer`;
  const suffix = postgres ? sql`` : sql` strict`;
  return [
    sql`create table "_partial_upload" (
      "id" ${text} primary key,
      "user" ${text} not null,
      "holder" ${text} not null,
      "bytes" ${integer} not null,
      "received" ${integer} not null,
      "pieces" ${integer} not null,
      "metadata" ${text} not null,
      "touched_at" ${integer} not null,
      "file" ${text}
    )${suffix}`,
    sql`create index "_ix_partial_upload_user" on "_partial_upload" ("user")`,
    sql`create index "_ix_partial_upload_touched_at" on "_partial_upload" ("touched_at")`,
    sql`create table "_partial_piece" (
      "storage_key" ${text} primary key,
      "upload" ${text} not null,
      "start" ${integer} not null,
      "bytes" ${integer} not null
    )${suffix}`,
    sql`create unique index "_ix_partial_piece_upload" on "_partial_piece" ("upload", "start")`,
  ];
}
