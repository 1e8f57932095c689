import { createHash, hash } from 'node:crypto';
import { ServiceError } from '../kernel/errors.ts';
import { HEAD_BYTES, type PutLimits, type StoredObject } from './storage.ts';

/** Smaller pieces are gathered: each piece costs the storage a write. */
const BLOCK = 16 * 1024;

/** Inspects bytes on their way into a storage. */
export interface Meter {
  /**
   * Passes `stream` on, counted and hashed, in pieces of thousands of bytes. Throws MaxFileSizeReachedError once
   * it exceeds the limit.
   */
  measure(stream: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer>;
  /** The totals. Call it once. */
  result(): StoredObject;
}

/** The same for bytes in memory. @throws ServiceError MaxFileSizeReachedError */
export function measured(bytes: Buffer, { maxBytes }: PutLimits): StoredObject {
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  const head = new Uint8Array(bytes.subarray(0, HEAD_BYTES));
  return { bytes: bytes.length, sha256: hash('sha256', bytes), head };
}

export function meter(limits: PutLimits): Meter {
  const digest = createHash('sha256');
  let head: Buffer = Buffer.alloc(0);
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.maxBytes) throw tooLarge(limits.maxBytes);
  };
  return {
    async *measure(stream) {
      for await (const chunk of gathered(stream, count)) {
        if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
        digest.update(chunk);
        yield chunk;
      }
    },
    result: () => ({ bytes, sha256: digest.digest('hex'), head: new Uint8Array(head) }),
  };
}

async function* gathered(
  stream: AsyncIterable<Buffer | string>,
  count: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  let block: Buffer | null = null;
  let used = 0;
  for await (const piece of stream) {
    const chunk = Buffer.isBuffer(piece) ? piece : Buffer.from(piece);
    count(chunk);
    if (block && used + chunk.length > BLOCK) {
      yield block.subarray(0, used);
      block = null;
    }
    if (chunk.length >= BLOCK) {
      yield chunk;
      continue;
    }
    // A new one each time, because the reader may still hold the last.
    if (!block) [block, used] = [Buffer.allocUnsafe(BLOCK), 0];
    used += chunk.copy(block, used);
  }
  if (block) yield block.subarray(0, used);
}

/** The error for a file with more than `maxBytes`. */
export function tooLarge(maxBytes: number): ServiceError {
  const size = maxBytes >= 1024 * 1024 ? `${Math.floor(maxBytes / 1024 / 1024)} MiB` : `${maxBytes} bytes`;
  return new ServiceError(
    'MaxFileSizeReachedError',
    `File size exceeded the maximum allowed size of ${size}`,
  );
}
