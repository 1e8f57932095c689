import { Readable } from 'node:stream';
import { LIMITS } from '../kernel/limits.ts';

const START = Buffer.from([0xff, 0xd8, 0xff]);
const MARKER = { end: 0xd9, scan: 0xda, exif: 0xe1, comment: 0xfe, app0: 0xe0, app15: 0xef } as const;

/**
 * Removes the metadata of a JPEG: places, times, names, thumbnails, comments. Other files pass unchanged.
 * Pixels, orientation and colour profile stay. Memory is constant. `dropped` gets the number of bytes
 * removed, piece by piece, and may throw.
 */
export function withoutMetadata<Source extends Readable | Buffer>(
  content: Source,
  dropped: (bytes: number) => void,
): Source | Readable {
  if (Buffer.isBuffer(content) && !content.subarray(0, START.length).equals(START)) return content;
  const source: Readable = Buffer.isBuffer(content) ? Readable.from([content]) : content;
  // A stream of objects passes each chunk on; one of bytes would join those that wait, in a copy.
  const stripped = Readable.from(strip(source, dropped));
  stripped.once('close', () => source.destroy());
  return stripped;
}

async function* strip(source: Readable, dropped: (bytes: number) => void): AsyncGenerator<Buffer> {
  const input = new Input(source);
  const start = await input.take(START.length);
  if (start?.equals(START)) {
    input.putBack(start.subarray(2));
    yield start.subarray(0, 2);
    yield* stripSegments(input, dropped);
  } else if (start) yield start;
  yield* input.rest();
}

/**
 * Returns at a malformed part, and after more segments than photos have, so that the rest passes unchanged. At
 * the end of the file nothing is left.
 */
async function* stripSegments(input: Input, dropped: (bytes: number) => void): AsyncGenerator<Buffer> {
  for (let segment = 0; segment < LIMITS.photoSegments; segment += 1) {
    const mark = await input.take(2);
    const code = mark?.[1];
    if (!mark || code === undefined || mark[0] !== 0xff) {
      if (mark) yield mark;
      return;
    }
    if (code === 0xff) {
      // Any number of fill bytes may precede a marker: the last 0xff begins it.
      yield mark.subarray(0, 1);
      const chunk = await input.next();
      const end = chunk ? endOfFill(chunk) : 0;
      if (chunk && end > 0) yield chunk.subarray(0, end);
      if (chunk && end < chunk.length) input.putBack(chunk.subarray(end));
      input.putBack(mark.subarray(1));
      continue;
    }
    if (code === MARKER.end) {
      yield mark;
      // Phones append further pictures, films and metadata after the end.
      for await (const chunk of input.rest()) dropped(chunk.length);
      return;
    }
    const size = await input.take(2);
    const length = size?.length === 2 ? size.readUInt16BE(0) : 0;
    const body = length < 2 ? null : await input.take(length - 2);
    if (!size || !body || body.length < length - 2) {
      yield Buffer.concat([mark, size ?? NOTHING, body ?? NOTHING]);
      return;
    }
    const kept = keptOf(code, body);
    dropped(kept ? body.length - kept.length : body.length + 4);
    if (kept) yield Buffer.concat([mark, lengthOf(kept), kept]);
    if (code === MARKER.scan) yield* copyScan(input);
  }
}

const NOTHING = Buffer.alloc(0);

function endOfFill(chunk: Buffer): number {
  let end = 0;
  while (chunk[end] === 0xff) end += 1;
  return end;
}

/** The part of a segment to keep; null for none. */
function keptOf(code: number, body: Buffer): Buffer | null {
  if (code === MARKER.comment) return null;
  if (code < MARKER.app0 || code > MARKER.app15) return body;
  if (code === MARKER.exif) return upright(body);
  const text = body.toString('latin1', 0, 12);
  const isKept =
    (code === 0xe0 && text.startsWith('JFIF\0')) ||
    (code === 0xe2 && text === 'ICC_PROFILE\0') ||
    (code === 0xee && text.startsWith('Adobe'));
  return isKept ? body : null;
}

/** The orientation of an Exif segment, unless it is the default. */
function upright(body: Buffer): Buffer | null {
  if (!body.toString('latin1', 0, 6).startsWith('Exif\0')) return null;
  const orientation = orientationOf(body.subarray(6));
  if (orientation < 2 || orientation > 8) return null;
  // A directory with one entry: tag 0x112, one short.
  const entry = [1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0];
  return Buffer.concat([Buffer.from('Exif\0\0II*\0\x08\0\0\0', 'latin1'), Buffer.from(entry)]);
}

function orientationOf(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 2);
  if (tiff.length < 8 || (order !== 'II' && order !== 'MM')) return 0;
  const short = (at: number) => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return 0;
  const entries = short(directory);
  for (let index = 0; index < entries; index += 1) {
    const at = directory + 2 + index * 12;
    if (at + 12 > tiff.length) return 0;
    if (short(at) === 0x112) return short(at + 8);
  }
  return 0;
}

function lengthOf(body: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length + 2);
  return length;
}

/** Copies picture data up to the next marker: 0xff with anything behind it but 0 and the marks of restarts. */
async function* copyScan(input: Input): AsyncGenerator<Buffer> {
  for (let chunk = await input.next(); chunk; chunk = await input.next()) {
    let at = chunk.indexOf(0xff);
    while (at !== -1 && at + 1 < chunk.length && isPicture(chunk[at + 1])) at = chunk.indexOf(0xff, at + 2);
    if (at === -1) {
      yield chunk;
      continue;
    }
    if (at > 0) yield chunk.subarray(0, at);
    if (at + 1 < chunk.length) {
      input.putBack(chunk.subarray(at));
      return;
    }
    // The deciding byte comes with the next chunk.
    const next = await input.next();
    if (!next) {
      yield chunk.subarray(at);
      return;
    }
    input.putBack(Buffer.concat([chunk.subarray(at), next]));
  }
}

function isPicture(byte: number | undefined): boolean {
  return byte === 0 || (byte !== undefined && byte >= 0xd0 && byte <= 0xd7);
}

/** A stream that is read by numbers of bytes. */
class Input {
  readonly #source: AsyncIterator<Buffer>;
  /** Bytes put back, the next ones last. */
  readonly #back: Buffer[] = [];

  constructor(source: Readable) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next bytes, never empty; null at the end. */
  async next(): Promise<Buffer | null> {
    const back = this.#back.pop();
    if (back) return back;
    for (;;) {
      const { done, value } = await this.#source.next();
      if (done) return null;
      if (value.length > 0) return Buffer.isBuffer(value) ? value : Buffer.from(value);
    }
  }

  putBack(chunk: Buffer): void {
    this.#back.push(chunk);
  }

  /** This many bytes, fewer when the stream ends; null at the end. */
  async take(count: number): Promise<Buffer | null> {
    if (count === 0) return NOTHING;
    const pieces: Buffer[] = [];
    let missing = count;
    while (missing > 0) {
      const chunk = await this.next();
      if (!chunk) break;
      pieces.push(chunk.subarray(0, missing));
      if (chunk.length > missing) this.putBack(chunk.subarray(missing));
      missing -= Math.min(missing, chunk.length);
    }
    return pieces.length === 0 ? null : Buffer.concat(pieces);
  }

  async *rest(): AsyncGenerator<Buffer> {
    for (let chunk = await this.next(); chunk; chunk = await this.next()) yield chunk;
  }
}
