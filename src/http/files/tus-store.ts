import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { DataStore, type Lock, type Locker, Upload } from '@tus/server';
import type { FastifyRequest } from 'fastify';
import type { Document } from '../../doctype/doctype.ts';
import { readContext } from '../../document/context.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { displayName } from '../../file/file-name.ts';
import { completePartial, discardPieces, endPartial, storePieces } from '../../file/partial-content.ts';
import {
  addPieces,
  beginPartial,
  findPartial,
  type PartialUpload,
  type Piece,
  type UploadMetadata,
} from '../../file/partial-upload.ts';
import { checkUpload, type FileSite, type UploadFields } from '../../file/upload-file.ts';
import { requireAllowedName } from '../../file/upload-rules.ts';
import { isRefusal, ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { provenanceOf } from '../caller/provenance.ts';
import { askForBody } from '../wire/expect-continue.ts';
import type { UploadLocks } from './tus-lock.ts';
import { CHECKSUM_ALGORITHMS, TUS_EXTENSIONS } from './tus-protocol.ts';

/**
 * The tus uploads of one request: they belong to its user, count against its limits, are checked, and end as
 * a File.
 */
export class TusStore extends DataStore {
  override extensions = TUS_EXTENSIONS;
  /** The File document that this request's upload became. */
  file: string | null = null;
  readonly #site: FileSite;
  readonly #request: FastifyRequest;
  readonly #locks: UploadLocks;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(site: FileSite, request: FastifyRequest, locks: UploadLocks) {
    super();
    this.#site = site;
    this.#request = request;
    this.#locks = locks;
  }

  override getExpiration(): number {
    return LIMITS.partialAge;
  }

  override async create(upload: Upload): Promise<Upload> {
    const { user } = this.#request;
    const metadata: UploadMetadata = upload.metadata ?? {};
    const { fileName, fields } = describe(metadata);
    await checkUpload(this.#site, user, fields);
    requireAllowedName(readContext(this.#site, user), fileName);
    await beginPartial(this.#site, user, upload.id, upload.size ?? 0, metadata);
    if (upload.size === 0) await this.#complete(await this.#find(upload.id), []);
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const { bytes, received, metadata, touchedAt, file } = await this.#find(id);
    this.file = file;
    return new Upload({
      id,
      size: bytes,
      offset: received,
      metadata: { ...metadata },
      // The expiry is counted from here.
      creation_date: new Date(touchedAt).toISOString(),
    });
  }

  override async remove(id: string): Promise<void> {
    await this.#find(id);
    await endPartial(this.#site, this.#request.user, id);
  }

  override write(stream: Readable, id: string, offset: number): Promise<number> {
    const writing = this.#write(stream, id, offset);
    this.#writing = writing.catch(() => undefined);
    return writing;
  }

  /**
   * One request at a time per upload; the bytes of a broken connection are stored before the next request
   * begins.
   */
  locker(): Locker {
    return { newLock: (id) => this.#lock(id) };
  }

  #lock(id: string): Lock {
    let release: () => void = () => undefined;
    return {
      lock: async (signal, ask) => {
        release = await this.#locks.take(id, signal, ask);
      },
      unlock: async () => {
        await this.#writing;
        release();
      },
    };
  }

  async #find(id: string): Promise<PartialUpload> {
    const upload = await findPartial(this.#site, this.#request.user, id);
    if (!upload) throw new ServiceError('DoesNotExistError', 'There is no such upload');
    return upload;
  }

  async #write(stream: Readable, id: string, offset: number): Promise<number> {
    const { user } = this.#request;
    const checksum = checksumOf(this.#request);
    let upload = await this.#find(id);
    if (upload.received !== offset) throw new ServiceError('UploadConflictError', 'The offset has changed');
    askForBody(this.#request.raw);
    /**
     * Stored pieces that do not belong to the upload yet: those with a checksum, and the last ones, which
     * come with the File.
     */
    const pending: Piece[] = [];
    let bytes = offset;
    try {
      const source = checksum ? hashed(stream, checksum.hash) : stream;
      const broken = await storePieces(this.#site, source, async (piece) => {
        bytes += piece.bytes;
        pending.push(piece);
        if (checksum || bytes >= upload.bytes) return;
        upload = await addPieces(this.#site, user, upload, pending);
        pending.length = 0;
      });
      // Checked before the checksum, which a longer body breaks too.
      if (isTooLong(broken)) throw new ServiceError('RequestTooLargeError', broken.body.trim());
      if (checksum && (broken !== null || checksum.hash.digest('base64') !== checksum.expected)) {
        throw new ServiceError('ChecksumMismatchError', 'The bytes do not match Upload-Checksum');
      }
      if (bytes === upload.bytes && pending.length > 0) await this.#complete(upload, pending);
      else if (pending.length > 0) await addPieces(this.#site, user, upload, pending);
      return bytes;
    } catch (error) {
      // Otherwise the periodic collection checks.
      if (isRefusal(error)) await discardPieces(this.#site, pending);
      throw error;
    }
  }

  async #complete(upload: PartialUpload, tail: readonly Piece[]): Promise<void> {
    const { user } = this.#request;
    const { fileName, fields } = describe(upload.metadata);
    const file: Document = await completePartial(
      this.#site,
      user,
      upload,
      { tail, fileName, fields },
      (work) => unitOfWork(this.#site, user, work, provenanceOf(this.#request)),
    );
    this.file = file.name;
  }
}

/** True for the error with which the library ends a body that is too long. */
function isTooLong(error: unknown): error is Error & { readonly body: string } {
  return (
    error instanceof Error && 'status_code' in error && 'body' in error && typeof error.body === 'string'
  );
}

const FIELDS = [
  'doctype',
  'docname',
  'fieldname',
  'folder',
  'is_private',
  'optimize',
  'max_width',
  'max_height',
];

/**
 * The name and fields of an upload, as `upload_file` has them. @throws ServiceError BadRequestError,
 * ValidationError
 */
function describe(metadata: UploadMetadata): { fileName: string; fields: UploadFields } {
  const fileName = metadata['filename'] ?? metadata['name'] ?? '';
  if (displayName(fileName) === '') {
    throw new ServiceError('ValidationError', 'Upload-Metadata must have a filename');
  }
  const fields = new Map<string, string>([['file_name', fileName]]);
  for (const name of FIELDS) {
    const value = metadata[name];
    if (value) fields.set(name, value);
  }
  for (const value of fields.values()) {
    if (value.includes('\0')) throw new ServiceError('BadRequestError', 'Text must not contain NUL');
  }
  return { fileName, fields };
}

interface Checksum {
  readonly hash: Hash;
  /** Base64. */
  readonly expected: string;
}

function checksumOf({ headers }: FastifyRequest): Checksum | null {
  const given = headers['upload-checksum'];
  if (given === undefined) return null;
  const [algorithm = '', expected = '', ...more] = String(given).split(' ');
  if (!CHECKSUM_ALGORITHMS.includes(algorithm) || expected === '' || more.length > 0) {
    throw new ServiceError(
      'BadRequestError',
      `Upload-Checksum must name one of ${CHECKSUM_ALGORITHMS.join(', ')} and have a Base64 value`,
    );
  }
  return { hash: createHash(algorithm), expected };
}

async function* hashed(stream: Readable, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    hash.update(chunk);
    yield chunk;
  }
}
