import { close, constants, open as openDescriptor, read } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isMissing } from './disk-directory.ts';
import { handleStream } from './handle-stream.ts';
import { ShortObjectError } from './short-object.ts';
import type { ByteRange, OpenedObject } from './storage.ts';
import { checkStorageKey } from './storage-key.ts';

// Up to this size a single read costs half as much as a stream; above it memory matters.
const READ_AT_ONCE = 128 * 1024;

/** Opens an object in `directory`, as `Storage.open` promises. */
export async function openObject(
  directory: string,
  key: string,
  range: ByteRange | undefined,
): Promise<OpenedObject | null> {
  const path = join(directory, checkStorageKey(key));
  const tooShort = () => new ShortObjectError(key);
  try {
    if (range && lengthOf(range) <= READ_AT_ONCE) return await readRange(path, range, tooShort);
    return await openRange(await open(path, FLAGS), range, tooShort);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

function lengthOf({ start, end }: ByteRange): number {
  return end - start + 1;
}

// A bare descriptor: a file handle would cost a tenth of a small download.
const [openFile, readFile, closeFile] = [promisify(openDescriptor), promisify(read), promisify(close)];

async function readRange(path: string, range: ByteRange, tooShort: () => Error): Promise<OpenedObject> {
  const file = await openFile(path, FLAGS);
  try {
    const body = await readFully((...into) => readFile(file, ...into), range, tooShort);
    return { bytes: body.length, body };
  } finally {
    await closeFile(file);
  }
}

/** Takes ownership of the handle. */
async function openRange(
  handle: FileHandle,
  range: ByteRange | undefined,
  tooShort: () => Error,
): Promise<OpenedObject> {
  let streaming = false;
  try {
    const { size } = await handle.stat();
    const whole = range ?? { start: 0, end: size - 1 };
    // Checked now, while an error reply is still possible.
    if (whole.end >= size) throw tooShort();
    const bytes = lengthOf(whole);
    if (bytes <= READ_AT_ONCE)
      return { bytes, body: await readFully(handle.read.bind(handle), whole, tooShort) };
    const body = handleStream(handle, whole, tooShort);
    streaming = true;
    return { bytes, body };
  } finally {
    if (!streaming) await handle.close();
  }
}

async function readFully(
  readInto: (
    bytes: Buffer,
    offset: number,
    length: number,
    position: number,
  ) => Promise<{ readonly bytesRead: number }>,
  range: ByteRange,
  tooShort: () => Error,
): Promise<Buffer> {
  const length = lengthOf(range);
  // Memory of its own, so that the reader can free it.
  const bytes = Buffer.allocUnsafeSlow(length);
  let offset = 0;
  while (offset < length) {
    const { bytesRead } = await readInto(bytes, offset, length - offset, range.start + offset);
    if (bytesRead === 0) throw tooShort();
    offset += bytesRead;
  }
  return bytes;
}
