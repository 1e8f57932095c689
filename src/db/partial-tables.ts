import type { Dialect } from './dialect.ts';
import { type Sql, sql } from './sql.ts';

/**
 * Uploads that come in parts: how much has come of each, and the objects that hold it, in the order of `start`. `holder`
 * is who may go on with it, `metadata` JSON as the client sent it, `touched_at` milliseconds since the epoch, `file` the
 * File document it became.
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
