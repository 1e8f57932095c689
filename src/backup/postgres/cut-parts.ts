/** Sizes of parts in bytes: the least before a row may end one, the usual one, and the most. */
const LEAST = 256 * 1024;
const USUAL = 1024 * 1024;
const MOST = 4 * 1024 * 1024;
/** Bytes at the beginning of a row that decide: its key, since the key's columns come first. */
const DECIDING = 64;
const NEWLINE = 0x0a;

/** Parts of a table, and the number of rows in those that were taken so far. */
export interface CutRows extends AsyncIterable<Buffer> {
  readonly rows: number;
}

/**
 * Cuts rows in the text format of COPY into parts. The keys of the rows decide where, so that a change moves no
 * boundary but those beside it, and the next backup has the same parts where nothing changed. A row that is longer
 * than a part is cut, too.
 */
export function cutRows(content: AsyncIterable<Buffer>): CutRows {
  let rows = 0;
  async function* cut(): AsyncGenerator<Buffer> {
    const part = new Part();
    for await (const piece of content) {
      let from = 0;
      while (from < piece.length) {
        // In this format, a line feed only ends a row.
        const at = piece.indexOf(NEWLINE, from);
        const to = at === -1 ? piece.length : at + 1;
        let rest = piece.subarray(from, to);
        while (rest.length > 0) {
          rest = rest.subarray(part.take(rest));
          if (part.length === MOST) yield part.end();
        }
        from = to;
        if (at === -1) continue;
        rows += 1;
        if (part.endsWithRow()) yield part.end();
      }
    }
    if (part.length > 0) yield part.end();
  }
  return {
    [Symbol.asyncIterator]: cut,
    get rows() {
      return rows;
    },
  };
}

class Part {
  #bytes = Buffer.allocUnsafe(2 * USUAL);
  #length = 0;
  /** The bytes of the row so far, of which a part may contain only the end; its hash. */
  #rowBytes = 0;
  #hash = HASH_START;

  get length(): number {
    return this.#length;
  }

  /** Takes bytes of one row as far as there is room; returns how many. */
  take(bytes: Buffer): number {
    const taken = Math.min(bytes.length, MOST - this.#length);
    if (this.#length + taken > this.#bytes.length) this.#grow(this.#length + taken);
    bytes.copy(this.#bytes, this.#length, 0, taken);
    const decides = Math.min(taken, DECIDING - this.#rowBytes);
    for (let at = 0; at < decides; at += 1)
      this.#hash = Math.imul(this.#hash ^ (bytes[at] ?? 0), HASH_FACTOR);
    this.#length += taken;
    this.#rowBytes += taken;
    return taken;
  }

  /** Ends a row, and decides whether it ends the part. A long row does so more often, in proportion. */
  endsWithRow(): boolean {
    const chance = (this.#rowBytes / (USUAL - LEAST)) * 2 ** 32;
    const ends = this.#length >= LEAST && mixed(this.#hash) < chance;
    this.#rowBytes = 0;
    this.#hash = HASH_START;
    return ends;
  }

  /** The bytes of the part; the next one begins. */
  end(): Buffer {
    const bytes = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return bytes;
  }

  #grow(least: number): void {
    const grown = Buffer.allocUnsafe(Math.min(MOST, Math.max(least, 2 * this.#bytes.length)));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

// FNV-1a, and the last steps of MurmurHash3, because FNV leaves the high bits of short texts alike.
const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

function mixed(hash: number): number {
  let value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
