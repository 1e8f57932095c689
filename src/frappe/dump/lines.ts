import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';

const NEWLINE = 0x0a;

/** The lines of a stream of bytes, without their ends; each is valid only until the next one. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly Buffer[]> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const chunk of chunks) {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = chunk.subarray(start, end);
      lines.push(rest.length === 0 ? line : Buffer.concat([...rest, line]));
      rest = [];
      restBytes = 0;
      start = end + 1;
    }
    if (start < chunk.length) {
      // A copy: the stream may use the chunk again.
      rest.push(Buffer.from(chunk.subarray(start)));
      restBytes += chunk.length - start;
      if (restBytes > LIMITS.dumpLineBytes) throw tooLong();
    }
    if (lines.length > 0) yield lines;
  }
  if (restBytes > 0) yield [Buffer.concat(rest)];
}

/** @throws ServiceError when the bytes that must be held at once exceed the limit */
export function requireLength(bytes: number): void {
  if (bytes > LIMITS.dumpLineBytes) throw tooLong();
}

function tooLong(): ServiceError {
  const most = LIMITS.dumpLineBytes / (1024 * 1024);
  return new ServiceError('ValidationError', `A row or statement of the dump is longer than ${most} MB`);
}
