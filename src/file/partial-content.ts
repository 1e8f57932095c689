import { Readable } from 'node:stream';
import type { CurrentUser } from '../access/user.ts';
import { unitOfWork } from '../document/unit-of-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
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

/** Uploads whose age `prunePartials` ends at a time. */
const PRUNED_AT_ONCE = 20;

/**
 * Stores what a stream brings in objects of at most `LIMITS.pieceBytes`, each handed to `keep` when it is durable: all of
 * it also when the stream breaks off, since what has come need not come again. Resolves to what it broke off with.
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

/** What the last part of an upload brings with it. */
export interface LastPart {
  /** Stored, and not added to the upload: so it never has all of its bytes without being a File. */
  readonly tail: readonly Piece[];
  readonly fileName: string;
  readonly fields: UploadFields;
}

/**
 * Makes the File document of an upload whose last bytes have come. `run` is as `uploadFile` has it. When it fails the
 * upload is as before, without its tail.
 * @throws ServiceError UploadConflictError when somebody else was faster, DoesNotExistError for lost pieces
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
    throw new ServiceError('UploadConflictError', 'The upload has changed meanwhile: ask for its offset');
  }
  const content = await receiveContent(site, Readable.from(readPieces(site, user, upload.id, pieces)));
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

async function* readPieces(
  site: FileSite,
  user: CurrentUser,
  id: string,
  pieces: readonly Piece[],
): AsyncGenerator<Buffer> {
  for (const { storageKey, bytes } of pieces) {
    const opened = await site.storage.open(storageKey, { start: 0, end: bytes - 1 });
    if (!opened) {
      // Nothing brings it back; the client is told to begin anew.
      await discardPieces(site, await unitOfWork(site, user, ({ db }) => dropLost(db, id)));
      throw new ServiceError('DoesNotExistError', 'The upload is no longer there');
    }
    if (Buffer.isBuffer(opened.body)) yield opened.body;
    else yield* opened.body;
  }
}

/** Forgets an upload and what came of it. A File that it became stays. */
export async function endPartial(site: FileSite, user: CurrentUser, id: string): Promise<void> {
  await discardPieces(site, await unitOfWork(site, user, ({ db }) => dropPartial(db, id)));
}

/** Best effort: what it cannot delete is collected as what an interrupted upload left. */
export async function discardPieces(site: FileSite, pieces: readonly Piece[]): Promise<void> {
  try {
    for (const { storageKey } of pieces) await site.storage.delete(storageKey);
  } catch (error) {
    site.observe({ kind: 'unexpected', where: 'discard parts of an upload', error });
  }
}

/** Forgets some uploads that nobody has gone on with for `LIMITS.partialAge`. Resolves to how many. */
export async function prunePartials(site: FileSite): Promise<number> {
  const ids = await expiredPartials(site, PRUNED_AT_ONCE);
  for (const id of ids) {
    await discardPieces(site, await site.database.transaction((db) => dropExpired(site, db, id)));
  }
  return ids.length;
}
