import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { CurrentUser } from '../access/user.ts';
import { isRefusal, ServiceError } from '../kernel/errors.ts';
import { completePartial } from './partial-content.ts';
import { addPieces, beginPartial, findPartial, holderOf, type PartialUpload } from './partial-upload.ts';
import type { UnclaimedContent } from './stored-file.ts';
import { type CreateFile, discardContent, type FileSite, type UploadFields } from './upload-file.ts';

/** The fields of a chunk: those of Frappe, and `upload_id`. */
export interface Chunk {
  /** The client's name for the upload, unique for the user. */
  readonly uploadId: string;
  readonly offset: number;
  /** Of the whole file. */
  readonly totalBytes: number;
  readonly isLast: boolean;
}

/** True when the fields so far belong to a chunk, whose bytes are not inspected. */
export function isChunk(fields: UploadFields): boolean {
  const count = fields.get('total_chunk_count') ?? '';
  return count !== '' && count !== '1';
}

const UPLOAD_ID = /^[\w.:-]{8,140}$/;

/** Null for an upload in one piece. @throws ServiceError ValidationError */
export function chunkOf(fields: UploadFields): Chunk | null {
  if (!isChunk(fields)) return null;
  const uploadId = fields.get('upload_id') ?? '';
  if (!UPLOAD_ID.test(uploadId)) {
    throw new ServiceError(
      'ValidationError',
      'A chunk needs an upload_id that is unique to its file: 8 to 140 letters, digits, _ . : or -',
    );
  }
  const count = wholeNumber(fields, 'total_chunk_count');
  const index = wholeNumber(fields, 'chunk_index');
  if (index >= count)
    throw new ServiceError('ValidationError', 'chunk_index must be below total_chunk_count');
  return {
    uploadId,
    offset: wholeNumber(fields, 'chunk_byte_offset'),
    totalBytes: wholeNumber(fields, 'total_file_size'),
    isLast: index === count - 1,
  };
}

function wholeNumber(fields: UploadFields, name: string): number {
  const text = fields.get(name)?.trim() ?? '';
  if (!/^\d{1,15}$/.test(text)) throw new ServiceError('ValidationError', `${name} must be a whole number`);
  return Number(text);
}

/** Stores the bytes of a chunk unchanged. */
export async function receiveChunk(site: FileSite, content: Readable | Buffer): Promise<UnclaimedContent> {
  const { storage } = site;
  const storageKey = storage.newKey();
  const stored = await storage.put(storageKey, content, { maxBytes: site.settings.maxFileBytes });
  return { storage, storageKey, stored };
}

/** A received chunk. */
export interface ReceivedChunk {
  readonly content: UnclaimedContent;
  readonly fileName: string;
  readonly fields: UploadFields;
}

/**
 * The result: more chunks are expected, or the File document was created, now or by the same chunk before.
 */
export type Taken<T> =
  | { readonly state: 'more' }
  | { readonly state: 'made'; readonly result: T }
  | { readonly state: 'again'; readonly file: string };

/**
 * Adds a chunk to its upload, in order; the first one starts the upload. The last one creates the File
 * document, with its own fields; `run` as in `uploadFile`. A chunk received before counts as a retry. Takes
 * ownership of the content.
 * @throws ServiceError UploadConflictError for a chunk out of order
 */
export async function takeChunk<T>(
  site: FileSite,
  user: CurrentUser,
  chunk: Chunk,
  received: ReceivedChunk,
  run: (work: CreateFile, notices: readonly string[]) => Promise<T>,
): Promise<Taken<T>> {
  const { content, fileName, fields } = received;
  const piece = { storageKey: content.storageKey, bytes: content.stored.bytes };
  const end = chunk.offset + piece.bytes;
  let isKept = false;
  try {
    if (piece.bytes === 0) throw new ServiceError('ValidationError', 'A chunk must have at least one byte');
    if (end > chunk.totalBytes || (chunk.isLast && end < chunk.totalBytes)) {
      throw new ServiceError('ValidationError', 'The chunks do not add up to total_file_size');
    }
    const upload = await uploadOf(site, user, chunk, fileName);
    if (upload.bytes !== chunk.totalBytes) throw outOfOrder(upload);
    if (upload.file !== null) return { state: 'again', file: upload.file };
    if (end <= upload.received) return { state: 'more' };
    if (chunk.offset !== upload.received) throw outOfOrder(upload);
    if (end < upload.bytes) {
      await addPieces(site, user, upload, [piece]);
      isKept = true;
      return { state: 'more' };
    }
    const result = await completePartial(site, user, upload, { tail: [piece], fileName, fields }, run);
    isKept = true;
    return { state: 'made', result };
  } catch (error) {
    // Otherwise the collection finds out.
    isKept ||= !isRefusal(error);
    throw error;
  } finally {
    if (!isKept) await discardContent(site, content);
  }
}

async function uploadOf(
  site: FileSite,
  user: CurrentUser,
  { uploadId, offset, totalBytes }: Chunk,
  fileName: string,
): Promise<PartialUpload> {
  // The user is part of the id, so that uploads of two users with the same name stay apart.
  const id = hash('sha256', JSON.stringify([holderOf(user), uploadId]), 'base64url');
  let upload = await findPartial(site, user, id);
  if (!upload && offset === 0) {
    await beginPartial(site, user, id, totalBytes, { filename: fileName });
    upload = await findPartial(site, user, id);
  }
  if (!upload) {
    throw new ServiceError('UploadConflictError', 'There is no such upload: begin with its first chunk');
  }
  return upload;
}

function outOfOrder(upload: PartialUpload): ServiceError {
  return new ServiceError(
    'UploadConflictError',
    `The next chunk must begin at byte ${upload.received} of ${upload.bytes}`,
    { headers: { 'Upload-Offset': String(upload.received) } },
  );
}
