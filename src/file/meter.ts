import { createHash } from 'node:crypto';
import { ServiceError } from '../kernel/errors.ts';
import { HEAD_BYTES, type PutLimits, type StoredObject } from './storage.ts';

/** Inspects bytes on their way into a storage. */
export interface Meter {
  /** Passes `stream` on, counted and hashed. Throws MaxFileSizeReachedError once it exceeds the limit. */
  measure(stream: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer>;
  /** The totals. Call it once. */
  result(): StoredObject;
}

export function meter(limits: PutLimits): Meter {
  const hash = createHash('sha256');
  let head: Buffer = Buffer.alloc(0);
  let bytes = 0;
  return {
    async *measure(stream) {
      for await (const piece of stream) {
        const chunk: Buffer = Buffer.isBuffer(piece) ? piece : Buffer.from(piece);
        bytes += chunk.length;
        if (bytes > limits.maxBytes) throw tooLarge(limits.maxBytes);
        if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
        hash.update(chunk);
        yield chunk;
      }
    },
    result: () => ({ bytes, sha256: hash.digest('hex'), head: new Uint8Array(head) }),
  };
}

/** The error for a file with more than `maxBytes`. */
export function tooLarge(maxBytes: number): ServiceError {
  const size = maxBytes >= 1024 * 1024 ? `${Math.floor(maxBytes / 1024 / 1024)} MiB` : `${maxBytes} bytes`;
  return new ServiceError(
    'MaxFileSizeReachedError',
    `File size exceeded the maximum allowed size of ${size}`,
  );
}
