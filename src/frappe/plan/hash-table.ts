/** The part of the places at which a table grows: 1.5 million entries fit into 2 million places. */
const FULL = 0.75;

/** A set of hashes in flat memory, with a number or two beside each: millions of entries without an object each. */
export class HashTable {
  readonly #most: number;
  #keys: Float64Array;
  #folded: Float64Array | null;
  #kinds: Int32Array | null;
  #counts: Int32Array | null;
  #size = 0;

  /** `most` entries are kept. With `details`, an entry has a second hash, a kind and a count. */
  constructor(most: number, details = false) {
    this.#most = most;
    const capacity = 1 << 12;
    this.#keys = new Float64Array(capacity);
    this.#folded = details ? new Float64Array(capacity) : null;
    this.#kinds = details ? new Int32Array(capacity) : null;
    this.#counts = details ? new Int32Array(capacity) : null;
  }

  get size(): number {
    return this.#size;
  }

  has(hash: number): boolean {
    return this.#keys[this.#find(this.#keys, hash)] === key(hash);
  }

  /** Adds a hash. Returns false when the table is full and lacks it. */
  add(hash: number): boolean {
    return this.#place(hash) >= 0;
  }

  /** Counts an entry; `second` gives its second hash when it is new. Returns false when the table is full. */
  count(hash: number, kind: number, second: () => number): boolean {
    const before = this.#size;
    const at = this.#place(hash);
    if (at < 0) return false;
    if (this.#size > before) {
      if (this.#folded) this.#folded[at] = second();
      if (this.#kinds) this.#kinds[at] = kind;
    }
    if (this.#counts) this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    return true;
  }

  *entries(): Generator<{ hash: number; folded: number; kind: number; count: number }> {
    for (let at = 0; at < this.#keys.length; at += 1) {
      const stored = this.#keys[at] ?? 0;
      if (stored === 0) continue;
      yield {
        hash: stored - 1,
        folded: this.#folded?.[at] ?? 0,
        kind: this.#kinds?.[at] ?? 0,
        count: this.#counts?.[at] ?? 0,
      };
    }
  }

  #place(hash: number): number {
    const at = this.#find(this.#keys, hash);
    if (this.#keys[at] !== 0) return at;
    if (this.#size >= this.#most) return -1;
    if (this.#size >= this.#keys.length * FULL) {
      this.#grow();
      return this.#place(hash);
    }
    this.#keys[at] = key(hash);
    this.#size += 1;
    return at;
  }

  #find(keys: Float64Array, hash: number): number {
    const mask = keys.length - 1;
    let at = (hash ^ Math.floor(hash / 2 ** 21)) & mask;
    while (keys[at] !== 0 && keys[at] !== key(hash)) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const keys = new Float64Array(this.#keys.length * 2);
    const folded = this.#folded && new Float64Array(keys.length);
    const kinds = this.#kinds && new Int32Array(keys.length);
    const counts = this.#counts && new Int32Array(keys.length);
    for (let from = 0; from < this.#keys.length; from += 1) {
      const stored = this.#keys[from] ?? 0;
      if (stored === 0) continue;
      const to = this.#find(keys, stored - 1);
      keys[to] = stored;
      if (folded) folded[to] = this.#folded?.[from] ?? 0;
      if (kinds) kinds[to] = this.#kinds?.[from] ?? 0;
      if (counts) counts[to] = this.#counts?.[from] ?? 0;
    }
    this.#keys = keys;
    this.#folded = folded;
    this.#kinds = kinds;
    this.#counts = counts;
  }
}

/** 0 is an empty place. */
function key(hash: number): number {
  return hash + 1;
}
