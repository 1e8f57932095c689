import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ByteRange } from './storage.ts';

const READ_CHUNK = 256 * 1024;

/**
 * All bytes of a range of an open file. If the file ends earlier, the stream fails with the error of
 * `tooShort`; Node's own stream would just end, and the client would wait for the rest for ever. Closes the
 * handle.
 */
export function handleStream(handle: FileHandle, { start, end }: ByteRange, tooShort: () => Error): Readable {
  let position = start;
  return new Readable({
    highWaterMark: READ_CHUNK,
    read() {
      const length = Math.min(READ_CHUNK, end - position + 1);
      if (length === 0) {
        this.push(null);
        return;
      }
      handle.read(Buffer.allocUnsafeSlow(length), 0, length, position).then(
        ({ bytesRead, buffer }) => {
          position += bytesRead;
          if (bytesRead === 0) this.destroy(tooShort());
          else this.push(buffer.subarray(0, bytesRead));
        },
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      handle.close().then(
        () => done(error),
        (failure: Error) => done(error ?? failure),
      );
    },
  });
}
