import { randomBytes } from 'node:crypto';

/** A source of randomness, which tests control. */
export interface Random {
  /** `length` characters of [0-9a-v], uniformly distributed; for document names. */
  hash(length: number): string;
  /** Cryptographically random bytes; for keys, secrets and tokens. */
  bytes(length: number): Buffer;
  /** A number in [0, 1); for jitter. */
  fraction(): number;
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuv';

/** The text after a hash of at most 10 characters, in the order of an index. */
export function followingHash(hash: string): string {
  const next = (Number.parseInt(hash, 32) + 1) % 32 ** hash.length;
  return next.toString(32).padStart(hash.length, '0');
}

export function systemRandom(): Random {
  // A pool reduces the cost of naming a document to a few hundred nanoseconds.
  let pool = Buffer.alloc(0);
  let used = 0;
  function take(length: number): Buffer {
    if (used + length > pool.length) {
      pool = randomBytes(Math.max(4096, length));
      used = 0;
    }
    used += length;
    return pool.subarray(used - length, used);
  }
  return {
    hash(length) {
      let text = '';
      for (const byte of take(length)) text += ALPHABET[byte & 31];
      return text;
    },
    bytes: (length) => randomBytes(length),
    fraction: () => take(4).readUInt32LE() / 2 ** 32,
  };
}
