import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
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
  const handle = await openForReading(join(directory, checkStorageKey(key)));
  return handle && openRange(handle, key, range);
}

async function openForReading(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Takes ownership of the handle. */
async function openRange(
  handle: FileHandle,
  key: string,
  range: ByteRange | undefined,
): Promise<OpenedObject> {
  const tooShort = () => new ShortObjectError(key);
  let streaming = false;
  try {
    const wanted = range && range.end - range.start + 1;
    if (range && wanted !== undefined && wanted <= READ_AT_ONCE) {
      return { bytes: wanted, body: await readFully(handle, range, tooShort) };
    }
    const { size } = await handle.stat();
    const whole = range ?? { start: 0, end: size - 1 };
    // Checked now, while an error reply is still possible.
    if (whole.end >= size) throw tooShort();
    const bytes = whole.end - whole.start + 1;
    if (bytes <= READ_AT_ONCE) return { bytes, body: await readFully(handle, whole, tooShort) };
    const body = handleStream(handle, whole, tooShort);
    streaming = true;
    return { bytes, body };
  } finally {
    if (!streaming) await handle.close();
  }
}

async function readFully(
  handle: FileHandle,
  { start, end }: ByteRange,
  tooShort: () => Error,
): Promise<Buffer> {
  const length = end - start + 1;
  // Memory of its own, so that the reader can free it.
  const bytes = Buffer.allocUnsafeSlow(length);
  let offset = 0;
  while (offset < length) {
    const { bytesRead } = await handle.read(bytes, offset, length - offset, start + offset);
    if (bytesRead === 0) throw tooShort();
    offset += bytesRead;
  }
  return bytes;
}
