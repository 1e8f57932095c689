import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { tooLarge } from './meter.ts';
import type { Storage } from './storage.ts';

/** An entry of a zip, checked but not read. */
export interface ArchiveFile {
  /** Folders above it, from the top. */
  readonly folders: readonly string[];
  readonly name: string;
  readonly bytes: number;
  /** The bytes; the stream fails unless their number and checksum match the archive. */
  open(): Readable;
}

/**
 * The files of a stored zip, read in place. Skips folders, hidden files and those that macOS adds. Checks for
 * zip bombs and other attacks before it unpacks the first byte.
 * @throws ServiceError ValidationError for a damaged file or another format, and for links, passwords, paths
 * that lead out of it, too many entries or too many bytes; MaxFileSizeReachedError
 */
export async function readArchive(
  storage: Storage,
  object: { readonly storageKey: string; readonly bytes: number },
  maxFileBytes: number,
): Promise<ArchiveFile[]> {
  const reader = new StoredReader(storage, object.storageKey, object.bytes);
  const options = { lazyEntries: true, autoClose: false, strictFileNames: true };
  const zip = await understood(() => fromRandomAccessReaderPromise(reader, object.bytes, options));
  return understood(async () => {
    if (zip.entryCount > LIMITS.unzipEntries) throw tooMany();
    const files: ArchiveFile[] = [];
    let entries = 0;
    let bytes = 0;
    for await (const entry of zip.eachEntry()) {
      // Counted here, because the number at the end of the archive may be false.
      entries += 1;
      if (entries > LIMITS.unzipEntries) throw tooMany();
      const file = fileOf(zip, reader, entry);
      if (!file) continue;
      if (entry.uncompressedSize > maxFileBytes) throw tooLarge(maxFileBytes);
      bytes += entry.uncompressedSize;
      requireSane(bytes, object.bytes);
      files.push(file);
    }
    return files;
  });
}

/** The unpacker reports damage as plain errors; failures of the storage, and bugs, pass unchanged. */
export async function understood<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isDamage =
      error instanceof Error &&
      !(error instanceof ServiceError) &&
      !('syscall' in error) &&
      (error.constructor === Error || ('code' in error && /^Z_/.test(String(error.code))));
    if (!isDamage) throw error;
    throw damaged();
  }
}

function fileOf(zip: ZipFile, reader: StoredReader, entry: Entry): ArchiveFile | null {
  // Strict names: yauzl throws for a backslash, a drive, a leading slash or `..`.
  if (entry.fileName.length > PATH_LENGTH) throw refused('The zip contains a path that is too long');
  const parts = entry.fileName.split('/');
  const name = parts.pop() ?? '';
  if (entry.externalFileAttributes >>> 28 === SYMLINK) throw refused('A zip with links cannot be unpacked');
  if (entry.isEncrypted()) throw refused('A zip with a password cannot be unpacked');
  if (name === '' || name.startsWith('.') || parts[0] === '__MACOSX') return null;
  if (!entry.canDecodeFileData()) throw refused('The zip uses an unsupported compression');
  return {
    folders: parts.filter((part) => part !== '' && part !== '.'),
    name,
    bytes: entry.uncompressedSize,
    open: () => Readable.from(unpacked(zip, reader, entry), { objectMode: false }),
  };
}

// An abandoned stream of yauzl emits errors that nobody can catch, so yauzl only finds the position.
async function* unpacked(zip: ZipFile, reader: StoredReader, entry: Entry): AsyncGenerator<Buffer> {
  const { fileDataStart: start } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = reader.pieces(start, start + entry.compressedSize);
  let bytes = 0;
  let sum = 0;
  for await (const piece of entry.compressionMethod === STORED ? packed : inflated(packed)) {
    bytes += piece.length;
    if (bytes > entry.uncompressedSize) break;
    sum = crc32(piece, sum);
    yield piece;
  }
  if (bytes !== entry.uncompressedSize || sum !== entry.crc32) throw damaged();
}

function inflated(packed: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  // Errors reach the reader of the result.
  return pipeline(Readable.from(packed), createInflateRaw(), () => undefined);
}

const STORED = 0;
const PATH_LENGTH = LIMITS.folderDepth * LIMITS.nameLength;
/** The file type among the Unix mode bits, which are the upper half of the attributes. */
const SYMLINK = 0o12;
/** Small archives of very plain text exceed any ratio. */
const FREE_BYTES = 1024 * 1024;

function requireSane(bytes: number, archiveBytes: number): void {
  if (bytes > LIMITS.unzipBytes) throw refused(`A zip may unpack to at most ${LIMITS.unzipBytes} bytes`);
  // For the whole archive, so that entries that share compressed bytes count, too.
  if (bytes > FREE_BYTES + archiveBytes * LIMITS.unzipRatio) {
    throw refused(`A zip may unpack to at most ${LIMITS.unzipRatio} times its size`);
  }
}

function damaged(): ServiceError {
  return refused('The file is not a zip, or is damaged');
}

function tooMany(): ServiceError {
  return refused(`A zip to unpack may have at most ${LIMITS.unzipEntries} entries`);
}

function refused(message: string): ServiceError {
  return new ServiceError('ValidationError', message);
}

/**
 * The directory of an archive is read in small steps, each of which would be a request to an object store.
 */
const WINDOW = 64 * 1024;

class StoredReader extends RandomAccessReader {
  readonly #storage: Storage;
  readonly #key: string;
  readonly #size: number;
  #window: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };

  constructor(storage: Storage, key: string, size: number) {
    super();
    this.#storage = storage;
    this.#key = key;
    this.#size = size;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null) => void,
  ): void {
    this.#fill(position, length).then(
      ({ start, bytes }) => {
        bytes.copy(target, offset, position - start, position - start + length);
        done(null);
      },
      (error: Error) => done(error),
    );
  }

  async #fill(position: number, length: number) {
    const { start, bytes } = this.#window;
    if (position >= start && position + length <= start + bytes.length) return this.#window;
    const end = Math.min(this.#size, position + Math.max(length, WINDOW));
    if (position < 0 || position + length > end) throw new Error('the archive ends early');
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(position, end)) pieces.push(piece);
    this.#window = { start: position, bytes: Buffer.concat(pieces) };
    return this.#window;
  }

  /** The bytes from `start` up to but not including `end`. */
  async *pieces(start: number, end: number): AsyncGenerator<Buffer> {
    if (start === end) return;
    if (start < 0 || end > this.#size || start > end) throw new Error('the archive ends early');
    const opened = await this.#storage.open(this.#key, { start, end: end - 1 });
    if (!opened) throw new ServiceError('DoesNotExistError', 'File not found');
    if (Buffer.isBuffer(opened.body)) yield opened.body;
    else for await (const piece of opened.body) yield Buffer.isBuffer(piece) ? piece : Buffer.from(piece);
  }
}
