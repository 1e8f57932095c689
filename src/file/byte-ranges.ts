import { Readable } from 'node:stream';
import type { ByteRange, OpenedObject } from './storage.ts';

/** A `multipart/byteranges` body: RFC 9110 section 14.6. */
export interface ByteRangesBody {
  readonly contentType: string;
  /** Length of the body. */
  readonly bytes: number;
  /** Opens the ranges one after the other, as the reader reaches them. */
  readonly stream: () => Readable;
}

/**
 * Several ranges of a file in one body. `total` is the length of the whole. `boundary` must not be guessable,
 * or a file could imitate a part.
 */
export function byteRangesBody(
  ranges: readonly ByteRange[],
  { total, contentType, boundary }: { total: number; contentType: string; boundary: string },
  open: (range: ByteRange) => Promise<OpenedObject>,
): ByteRangesBody {
  const headOf = ({ start, end }: ByteRange) =>
    `\r\n--${boundary}\r\nContent-Type: ${contentType}\r\nContent-Range: bytes ${start}-${end}/${total}\r\n\r\n`;
  const close = `\r\n--${boundary}--\r\n`;

  async function* parts(): AsyncGenerator<Buffer> {
    for (const range of ranges) {
      yield Buffer.from(headOf(range));
      const { body } = await open(range);
      if (Buffer.isBuffer(body)) yield body;
      else yield* body as AsyncIterable<Buffer>;
    }
    yield Buffer.from(close);
  }

  const bytes = ranges.reduce(
    (sum, range) => sum + Buffer.byteLength(headOf(range)) + range.end - range.start + 1,
    close.length,
  );
  return {
    contentType: `multipart/byteranges; boundary=${boundary}`,
    bytes,
    stream: () => Readable.from(parts(), { objectMode: false }),
  };
}
