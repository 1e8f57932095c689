import { Readable } from 'node:stream';
import type { CurrentUser } from '../access/user.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { deleteUnused } from './delete-unused.ts';
import {
  claimPartial,
  dropExpired,
  dropLost,
  dropPartial,
  expiredPartials,
  type PartialUpload,
  type Piece,
  piecesOf,
  settlePartial,
} from './partial-upload.ts';
import {
  type CreateFile,
  type FileSite,
  receiveContent,
  type UploadFields,
  uploadFile,
} from './upload-file.ts';

/** Expired uploads that `prunePartials` ends in one call. */
const PRUNED_AT_ONCE = 20;

/**
 * Stores a stream in objects of at most `LIMITS.pieceBytes`, and passes each to `keep` when it is durable. If
 * the stream breaks off, the bytes received are kept, so they need not be sent again. Resolves to the error
 * that ended it.
 */
export async function storePieces(
  site: FileSite,
  stream: AsyncIterable<Buffer>,
  keep: (piece: Piece) => Promise<void>,
): Promise<unknown> {
  const source = stream[Symbol.asyncIterator]();
  let rest: Buffer | null = null;
  let broken: unknown = null;

  async function next(): Promise<Buffer | null> {
    if (rest) {
      const chunk: Buffer = rest;
      rest = null;
      return chunk;
    }
    try {
      for (;;) {
        const { done, value } = await source.next();
        if (done) return null;
        if (value.length > 0) return value;
      }
    } catch (error) {
      broken = error ?? new Error('the stream broke off');
      return null;
    }
  }

  async function* piece(first: Buffer): AsyncGenerator<Buffer> {
    let left: number = LIMITS.pieceBytes;
    for (let chunk: Buffer | null = first; chunk; chunk = await next()) {
      if (chunk.length > left) {
        rest = chunk.subarray(left);
        chunk = chunk.subarray(0, left);
      }
      left -= chunk.length;
      yield chunk;
      if (left === 0) return;
    }
  }

  for (let first = await next(); first; first = broken === null ? await next() : null) {
    const storageKey = site.storage.newKey();
    const limits = { maxBytes: LIMITS.pieceBytes };
    const stored = await site.storage.put(storageKey, Readable.from(piece(first)), limits);
    await keep({ storageKey, bytes: stored.bytes });
  }
  return broken;
}

/** The last part of an upload. */
export interface LastPart {
  /** Stored, but not added to the upload: so an upload with all bytes always is a File. */
  readonly tail: readonly Piece[];
  readonly fileName: string;
  readonly fields: UploadFields;
}

/**
 * Creates the File document of an upload whose last bytes have arrived. `run` as in `uploadFile`. On failure
 * the upload is as before, without its tail.
 * @throws ServiceError UploadConflictError when another request was faster, DoesNotExistError for lost pieces
 */
export async function completePartial<T>(
  site: FileSite,
  user: CurrentUser,
  upload: PartialUpload,
  { tail, fileName, fields }: LastPart,
  run: (work: CreateFile, notices: readonly string[]) => Promise<T>,
): Promise<T> {
  const pieces = [...(await piecesOf(site.database.reader, upload.id)), ...tail];
  if (pieces.reduce((sum, piece) => sum + piece.bytes, 0) !== upload.bytes) {
    throw new ServiceError(
      'UploadConflictError',
      'The upload has changed in the meantime: request its offset',
    );
  }
  const content = await receiveContent(site, Readable.from(parsePieces(site, user, upload.id, pieces)));
  const result = await uploadFile(site, { content, fileName, fields }, (createFile, notices) =>
    run(async (ctx) => {
      await claimPartial(ctx, upload);
      const file = await createFile(ctx);
      await settlePartial(ctx, upload.id, file.name);
      return file;
    }, notices),
  );
  await discardPieces(site, pieces);
  return result;
}

async function* parsePieces(
  site: FileSite,
  user: CurrentUser,
  id: string,
  pieces: readonly Piece[],
): AsyncGenerator<Buffer> {
  for (const { storageKey, bytes } of pieces) {
    const opened = await site.storage.open(storageKey, { start: 0, end: bytes - 1 });
    if (!opened) {
      // The bytes are lost for good; the client is told to start again.
      await discardPieces(site, await unitOfWork(site, user, ({ db }) => dropLost(db, id)));
      throw new ServiceError('DoesNotExistError', 'The upload is no longer there');
    }
    if (Buffer.isBuffer(opened.body)) yield opened.body;
    else yield* opened.body;
  }
}

/** Deletes the record of an upload. The File made of it stays. */
export async function endPartial(site: FileSite, user: CurrentUser, id: string): Promise<void> {
  await discardPieces(site, await unitOfWork(site, user, ({ db }) => dropPartial(db, id)));
}

/** Best effort: pieces that it cannot delete are collected later. */
export async function discardPieces(site: FileSite, pieces: readonly Piece[]): Promise<void> {
  try {
    for (const { storageKey } of pieces) await deleteUnused(site.storage, storageKey);
  } catch (error) {
    site.observe({ kind: 'unexpected', where: 'discard parts of an upload', error });
  }
}

/** Deletes some uploads without progress for `LIMITS.partialAge`. Resolves to their number. */
export async function prunePartials(site: FileSite): Promise<number> {
  const ids = await expiredPartials(site, PRUNED_AT_ONCE);
  for (const id of ids) {
    await discardPieces(site, await site.database.transaction((db) => dropExpired(site, db, id)));
  }
  return ids.length;
}
