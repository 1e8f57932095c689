import { LIMITS } from '../kernel/limits.ts';
import { isRecord } from '../kernel/value.ts';
import { contentHash } from './batches.ts';
import type { BrokenRecord, LoadSource, SourceFile, SourceRecord } from './record.ts';

/**
 * NDJSON in the form of a load: each line an object with `doctype`, `name` and the fields of one document. The key of
 * a record is its name, or its line if it has none.
 */
export function ndjsonSource(file: SourceFile): LoadSource {
  let read = 0;
  return {
    id: `${file.name} ${file.size} ${file.fingerprint}`,
    label: file.name,
    total: null,
    async *records() {
      read = 0;
      let row = 0;
      for await (const { line, end } of linesOf(file.open())) {
        read = end;
        row += 1;
        const record = recordOf(line, row);
        if (record) yield record;
      }
    },
    part: () => (file.size === 0 ? 1 : Math.min(1, read / file.size)),
  };
}

/** A line as text; null when it is too long. `end`: bytes up to its end. */
interface Line {
  readonly line: Buffer | null;
  readonly end: number;
}

const NEWLINE = 0x0a;

/** The lines of a file, without their ends. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let pieces: Buffer[] = [];
  let [length, end] = [0, 0];
  const take = (): Buffer | null => {
    const line =
      length > LIMITS.loadLineBytes
        ? null
        : pieces.length === 1
          ? (pieces[0] ?? null)
          : Buffer.concat(pieces);
    pieces = [];
    length = 0;
    return line;
  };
  const add = (piece: Buffer) => {
    length += piece.length;
    if (length <= LIMITS.loadLineBytes) pieces.push(piece);
    else pieces = [];
  };
  for await (const chunk of bytes) {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let at = buffer.indexOf(NEWLINE); at >= 0; at = buffer.indexOf(NEWLINE, start)) {
      add(buffer.subarray(start, at));
      start = at + 1;
      yield { line: take(), end: end + start };
    }
    if (start < buffer.length) add(buffer.subarray(start));
    end += buffer.length;
  }
  if (length > 0) yield { line: take(), end };
}

/** Null for an empty line. */
function recordOf(line: Buffer | null, row: number): SourceRecord | BrokenRecord | null {
  if (line === null) return { row, reason: `The line has more than ${LIMITS.loadLineBytes} bytes` };
  const text = line.toString('utf8').trim();
  if (text === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { row, reason: 'The line is not JSON' };
  }
  if (!isRecord(value)) return { row, reason: 'The line is not an object' };
  const { doctype, ...values } = value;
  if (typeof doctype !== 'string' || doctype === '') return { row, reason: 'The line has no doctype' };
  const { name } = values;
  const key = typeof name === 'string' || typeof name === 'number' ? String(name).normalize('NFC') : '';
  return { doctype, key: key === '' ? `line ${row}` : key, values, row, hash: contentHash(line) };
}
