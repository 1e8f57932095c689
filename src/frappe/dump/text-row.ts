import { hashBytes, hashText } from './hash.ts';
import type { Cell, DumpColumn, RowView } from './source.ts';

const NULL = 0;
const BARE = 1;
const PLAIN = 2;
const ESCAPED = 3;
const HEX = 4;
const COPIED = 5;

const QUOTE = 0x27;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x28;
const CLOSE = 0x29;
const SPACE = 0x20;
const TAB = 0x09;

/** How a dump writes texts: MySQL escapes with backslashes, standard SQL only doubles quotes. */
export type Quoting = 'mysql' | 'standard';

/**
 * The row that a scanner is at: the places of its values in the scanned bytes. Values are decoded when they are
 * asked for, so that a row costs little when few of its values are needed.
 */
export class TextRow implements RowView {
  readonly #quoting: Quoting;
  #bytes: Buffer = Buffer.alloc(0);
  #starts = new Int32Array(64);
  #ends = new Int32Array(64);
  #kinds = new Uint8Array(64);
  #count = 0;
  #places: readonly number[] | null = null;
  #binary: readonly boolean[] = [];

  constructor(quoting: Quoting) {
    this.#quoting = quoting;
  }

  /**
   * The rows that follow are of these columns. INSERT with a list of columns and COPY have places of their own;
   * null means the order of the table.
   */
  open(columns: readonly DumpColumn[], places: readonly number[] | null): void {
    this.#places = places;
    this.#binary = columns.map(({ type }) => /blob|binary|bytea/.test(type));
  }

  isNull(column: number): boolean {
    const at = this.#at(column);
    return at < 0 || this.#kinds[at] === NULL;
  }

  cell(column: number): Cell {
    const at = this.#at(column);
    const kind = at < 0 ? NULL : this.#kinds[at];
    if (kind === NULL) return null;
    const start = this.#starts[at] ?? 0;
    const end = this.#ends[at] ?? 0;
    if (kind === HEX) return Buffer.from(this.#bytes.toString('latin1', start, end), 'hex');
    if (this.#binary[column]) return this.#binaryCell(kind, start, end);
    if (kind === BARE) return this.#bytes.toString('latin1', start, end);
    if (kind === PLAIN) return this.#bytes.toString('utf8', start, end);
    return this.#unescaped(kind, start, end).toString('utf8');
  }

  hash(column: number, seed: number): number {
    const at = this.#at(column);
    const kind = at < 0 ? NULL : this.#kinds[at];
    if (kind === BARE || kind === PLAIN) {
      return hashBytes(this.#bytes, this.#starts[at] ?? 0, this.#ends[at] ?? 0, seed);
    }
    const value = this.cell(column);
    return typeof value === 'string' ? hashText(value, seed) : 0;
  }

  /**
   * Reads `(value, …)` from `start`, which is at its parenthesis. Returns the position behind it, or -1 when the
   * bytes end before the row does.
   */
  scanTuple(bytes: Buffer, start: number): number {
    this.#bytes = bytes;
    this.#count = 0;
    const end = bytes.length;
    let at = start + 1;
    while (at < end) {
      while (at < end && isBlank(bytes[at])) at += 1;
      at = this.#scanValue(bytes, at, end);
      if (at < 0) return -1;
      while (at < end && isBlank(bytes[at])) at += 1;
      if (bytes[at] === CLOSE) return at + 1;
      if (bytes[at] !== COMMA) return -1;
      at += 1;
    }
    return -1;
  }

  /** Reads a line of COPY, without its line end. */
  scanCopied(line: Buffer): void {
    this.#bytes = line;
    this.#count = 0;
    let start = 0;
    let isEscaped = false;
    for (let at = 0; at <= line.length; at += 1) {
      const byte = at === line.length ? TAB : line[at];
      if (byte === BACKSLASH) {
        isEscaped = true;
        at += 1;
      } else if (byte === TAB) {
        const isNull = isEscaped && at - start === 2 && line[start + 1] === 0x4e;
        this.#add(isNull ? NULL : isEscaped ? COPIED : PLAIN, start, at);
        start = at + 1;
        isEscaped = false;
      }
    }
  }

  // MySQL writes bytes as a text, PostgreSQL as a text of hexadecimal digits.
  #binaryCell(kind: number | undefined, start: number, end: number): Buffer {
    const bytes = this.#unescaped(kind, start, end);
    const isHex = this.#quoting === 'standard' && bytes[0] === BACKSLASH && bytes[1] === 0x78;
    return isHex ? Buffer.from(bytes.toString('latin1', 2), 'hex') : bytes;
  }

  #unescaped(kind: number | undefined, start: number, end: number): Buffer {
    if (kind === COPIED) return unescapeCopied(this.#bytes, start, end);
    if (kind === ESCAPED) return unescapeQuoted(this.#bytes, start, end, this.#quoting);
    return Buffer.from(this.#bytes.subarray(start, end));
  }

  #at(column: number): number {
    const at = this.#places === null ? column : (this.#places[column] ?? -1);
    return at < this.#count ? at : -1;
  }

  #scanValue(bytes: Buffer, from: number, end: number): number {
    const first = bytes[from];
    if (first === QUOTE) return this.#scanQuoted(bytes, from + 1, end);
    if (first === 0x30 && (bytes[from + 1] === 0x78 || bytes[from + 1] === 0x58)) {
      const close = bareEnd(bytes, from, end);
      if (close < end) this.#add(HEX, from + 2, close);
      return close < end ? close : -1;
    }
    // An introducer of MySQL (`_binary '…'`, `_utf8mb4'…'`), or E'…' and X'…' of the standard.
    const close = bareEnd(bytes, from, end);
    let quote = close;
    while (quote < end && bytes[quote] === SPACE) quote += 1;
    if (bytes[quote] === QUOTE) return this.#scanQuoted(bytes, quote + 1, end);
    if (close >= end) return -1;
    const isNull = close - from === 4 && (bytes[from] === 0x4e || bytes[from] === 0x6e);
    this.#add(isNull ? NULL : BARE, from, close);
    return close;
  }

  #scanQuoted(bytes: Buffer, start: number, end: number): number {
    const escapes = this.#quoting === 'mysql';
    let isEscaped = false;
    let at = start;
    while (at < end) {
      const byte = bytes[at];
      if (byte === BACKSLASH && escapes) {
        isEscaped = true;
        at += 2;
      } else if (byte !== QUOTE) at += 1;
      else if (at + 1 < end && bytes[at + 1] === QUOTE) {
        isEscaped = true;
        at += 2;
      } else if (at + 1 >= end) return -1;
      else {
        this.#add(isEscaped ? ESCAPED : PLAIN, start, at);
        return at + 1;
      }
    }
    return -1;
  }

  #add(kind: number, start: number, end: number): void {
    if (this.#count === this.#kinds.length) this.#grow();
    this.#starts[this.#count] = start;
    this.#ends[this.#count] = end;
    this.#kinds[this.#count] = kind;
    this.#count += 1;
  }

  #grow(): void {
    const grown = <T extends Int32Array | Uint8Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    const size = this.#kinds.length * 2;
    this.#starts = grown(new Int32Array(size), this.#starts);
    this.#ends = grown(new Int32Array(size), this.#ends);
    this.#kinds = grown(new Uint8Array(size), this.#kinds);
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB || byte === 0x0a || byte === 0x0d;
}

function bareEnd(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at];
    if (byte === COMMA || byte === CLOSE || byte === OPEN || byte === QUOTE || isBlank(byte)) break;
    at += 1;
  }
  return at;
}

/** Escapes of MySQL that stand for another byte; any other escaped byte stands for itself. */
const MYSQL_ESCAPES = new Map([
  [0x30, 0x00],
  [0x62, 0x08],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
  [0x5a, 0x1a],
]);

function unescapeQuoted(bytes: Buffer, start: number, end: number, quoting: Quoting): Buffer {
  const clear = Buffer.allocUnsafe(end - start);
  let length = 0;
  for (let at = start; at < end; at += 1) {
    let byte = bytes[at] ?? 0;
    if (byte === BACKSLASH && quoting === 'mysql') {
      at += 1;
      const escaped = bytes[at] ?? 0;
      byte = MYSQL_ESCAPES.get(escaped) ?? escaped;
    } else if (byte === QUOTE) at += 1;
    clear[length] = byte;
    length += 1;
  }
  return clear.subarray(0, length);
}

const COPY_ESCAPES = new Map([
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
  [0x76, 0x0b],
]);

// pg_dump writes no octal and hexadecimal escapes.
function unescapeCopied(bytes: Buffer, start: number, end: number): Buffer {
  const clear = Buffer.allocUnsafe(end - start);
  let length = 0;
  for (let at = start; at < end; at += 1) {
    let byte = bytes[at] ?? 0;
    if (byte === BACKSLASH) {
      at += 1;
      const escaped = bytes[at] ?? 0;
      byte = COPY_ESCAPES.get(escaped) ?? escaped;
    }
    clear[length] = byte;
    length += 1;
  }
  return clear.subarray(0, length);
}
