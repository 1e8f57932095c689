import type { CurrentUser } from '../access/user.ts';
import type { Connection, Row } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Context, Site } from '../document/contract.ts';
import { lockClause } from '../document/lock.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import { nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { tooLarge } from './meter.ts';
import { requireSpace } from './upload-rules.ts';

/** The client's metadata at the start of an upload; null for a key without a value. */
export type UploadMetadata = Readonly<Record<string, string | null>>;

/** A resumable upload. `received` is `bytes` if and only if it has become a File document. */
export interface PartialUpload {
  readonly id: string;
  /** The final length. */
  readonly bytes: number;
  readonly received: number;
  readonly metadata: UploadMetadata;
  /** Milliseconds since the epoch of the last progress. */
  readonly touchedAt: number;
  /** Name of its File document. */
  readonly file: string | null;
}

/** An object of the storage with some bytes of an upload. */
export interface Piece {
  readonly storageKey: string;
  readonly bytes: number;
}

/**
 * Starts an upload under an id that nobody else can guess or create. An existing one under this id stays
 * unchanged.
 * @throws ServiceError MaxFileSizeReachedError, TooManyRequestsError for too many unfinished uploads of a
 * user
 */
export async function beginPartial(
  site: Site,
  user: CurrentUser,
  id: string,
  bytes: number,
  metadata: UploadMetadata,
): Promise<void> {
  const { maxFileBytes } = site.settings;
  if (bytes > maxFileBytes) throw tooLarge(maxFileBytes);
  await unitOfWork(site, user, async (ctx) => {
    await requireRoom(ctx, bytes, Math.max(LIMITS.partialBytes, 2 * maxFileBytes));
    await ctx.db.run(
      sql`insert into _partial_upload (id, "user", holder, bytes, received, pieces, metadata, touched_at)
        values (${id}, ${user.name}, ${holderOf(user)}, ${bytes}, 0, 0, ${JSON.stringify(metadata)},
          ${nowMillis(site.clock)})
        on conflict do nothing`,
    );
  });
}

async function requireRoom(ctx: Context, bytes: number, mostBytes: number): Promise<void> {
  const { name } = ctx.user;
  // Concurrent starts of a user count one another.
  await ctx.db.get(sql`select name from "User" where name = ${name}${lockClause(ctx.db.dialect, 'change')}`);
  const row = await ctx.db.get(
    sql`select count(*) as uploads, sum(bytes) as bytes from _partial_upload
      where "user" = ${name} and file is null and touched_at > ${oldest(ctx.site)}`,
  );
  if (Number(row?.uploads) >= LIMITS.partialUploads) {
    throw tooMany(`A user may have at most ${LIMITS.partialUploads} unfinished uploads`);
  }
  const together = Number(row?.bytes ?? 0) + bytes;
  await requireSpace(ctx, together);
  if (together > mostBytes) {
    throw tooMany(`The unfinished uploads of a user may have at most ${mostBytes} bytes in total`);
  }
}

/** Null for an unknown upload, one of another user, and an expired one. */
export async function findPartial(site: Site, user: CurrentUser, id: string): Promise<PartialUpload | null> {
  const row = await site.database.reader.get(
    sql`select id, bytes, received, metadata, touched_at, file from _partial_upload
      where id = ${id} and holder = ${holderOf(user)} and touched_at > ${oldest(site)}`,
  );
  return row ? fromRow(row) : null;
}

/** The user's remaining uploads, the latest first. */
export async function listPartials(ctx: Context): Promise<PartialUpload[]> {
  const rows = await ctx.db.all(
    sql`select id, bytes, received, metadata, touched_at, file from _partial_upload
      where "user" = ${ctx.user.name} and holder = ${holderOf(ctx.user)}
        and touched_at > ${oldest(ctx.site)}
      order by touched_at desc, id limit ${LIMITS.listedPartials}`,
  );
  return rows.map(fromRow);
}

/**
 * Adds stored pieces to an upload, after the bytes that `upload` has. Resolves to the new state of the
 * upload.
 * @throws ServiceError UploadConflictError when it has changed meanwhile, RequestTooLargeError for too many
 * pieces
 */
export async function addPieces(
  site: Site,
  user: CurrentUser,
  upload: PartialUpload,
  pieces: readonly Piece[],
): Promise<PartialUpload> {
  const touchedAt = nowMillis(site.clock);
  let received = upload.received;
  await unitOfWork(site, user, async ({ db }) => {
    received = upload.received;
    const bytes = pieces.reduce((sum, piece) => sum + piece.bytes, 0);
    const changed = await db.run(
      sql`update _partial_upload set received = received + ${bytes}, pieces = pieces + ${pieces.length},
          touched_at = ${touchedAt}
        where id = ${upload.id} and received = ${received} and file is null`,
    );
    if (changed !== 1) throw changedMeanwhile();
    for (const piece of pieces) {
      await db.run(
        sql`insert into _partial_piece (storage_key, upload, start, bytes)
          values (${piece.storageKey}, ${upload.id}, ${received}, ${piece.bytes})`,
      );
      received += piece.bytes;
    }
    const row = await db.get(sql`select pieces from _partial_upload where id = ${upload.id}`);
    if (Number(row?.pieces) > LIMITS.partialPieces) {
      throw new ServiceError(
        'RequestTooLargeError',
        `An upload may have at most ${LIMITS.partialPieces} parts`,
      );
    }
  });
  return { ...upload, received, touchedAt };
}

/** The pieces of an upload so far, in order. */
export async function piecesOf(db: Connection, id: string): Promise<Piece[]> {
  const rows = await db.all(
    sql`select storage_key, bytes from _partial_piece where upload = ${id} order by start`,
  );
  return rows.map((row) => ({ storageKey: String(row.storage_key), bytes: Number(row.bytes) }));
}

/**
 * Locks the upload against completion by others until this transaction ends. Call it before you create the
 * File.
 * @throws ServiceError UploadConflictError when it has changed meanwhile
 */
export async function claimPartial(ctx: Context, upload: PartialUpload): Promise<void> {
  const changed = await ctx.db.run(
    sql`update _partial_upload set received = bytes, touched_at = ${nowMillis(ctx.site.clock)}
      where id = ${upload.id} and received = ${upload.received} and file is null`,
  );
  if (changed !== 1) throw changedMeanwhile();
}

/** Records the File made of a claimed upload. The upload owns no pieces from then on. */
export async function settlePartial(ctx: Context, id: string, file: string): Promise<void> {
  await ctx.db.run(sql`update _partial_upload set file = ${file} where id = ${id}`);
  await ctx.db.run(sql`delete from _partial_piece where upload = ${id}`);
}

/** Deletes an upload, and resolves to its pieces, which nothing owns from then on. */
export async function dropPartial(db: Connection, id: string): Promise<Piece[]> {
  await db.run(sql`delete from _partial_upload where id = ${id}`);
  return dropPieces(db, id);
}

/**
 * The same for an upload with lost bytes.
 * @throws ServiceError UploadConflictError when it has become a File meanwhile
 */
export async function dropLost(db: Connection, id: string): Promise<Piece[]> {
  const dropped = await db.run(sql`delete from _partial_upload where id = ${id} and file is null`);
  if (dropped === 0) throw changedMeanwhile();
  return dropPieces(db, id);
}

/** The same for an expired upload, unless it has been continued meanwhile. */
export async function dropExpired(site: Site, db: Connection, id: string): Promise<Piece[]> {
  const dropped = await db.run(
    sql`delete from _partial_upload where id = ${id} and touched_at <= ${oldest(site)}`,
  );
  return dropped > 0 ? dropPieces(db, id) : [];
}

async function dropPieces(db: Connection, id: string): Promise<Piece[]> {
  const pieces = await piecesOf(db, id);
  await db.run(sql`delete from _partial_piece where upload = ${id}`);
  return pieces;
}

/** Some expired uploads. */
export async function expiredPartials(site: Site, limit: number): Promise<string[]> {
  const rows = await site.database.reader.all(
    sql`select id from _partial_upload where touched_at <= ${oldest(site)} order by touched_at limit ${limit}`,
  );
  return rows.map((row) => String(row.id));
}

/** The owner of an upload: a limited key may continue only uploads of keys with the same limits. */
export function holderOf({ name, scope }: CurrentUser): string {
  return JSON.stringify([name, scope?.mark ?? null]);
}

function oldest(site: Site): number {
  return nowMillis(site.clock) - LIMITS.partialAge;
}

function tooMany(message: string): ServiceError {
  return new ServiceError('TooManyRequestsError', `${message}: finish or cancel one of them`);
}

function changedMeanwhile(): ServiceError {
  return new ServiceError(
    'UploadConflictError',
    'The upload has changed in the meantime: request its offset',
  );
}

function fromRow(row: Row): PartialUpload {
  return {
    id: String(row.id),
    bytes: Number(row.bytes),
    received: Number(row.received),
    metadata: JSON.parse(String(row.metadata)) as UploadMetadata,
    touchedAt: Number(row.touched_at),
    file: row.file === null ? null : String(row.file),
  };
}
