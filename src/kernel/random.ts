import { randomBytes } from 'node:crypto';

/** Where randomness comes from: tests own it. */
export interface Random {
  /** `length` characters of [0-9a-v], uniformly distributed: document names. */
  hash(length: number): string;
  /** Cryptographically random bytes: keys, secrets, tokens. */
  bytes(length: number): Buffer;
  /** A number in [0, 1): jitter. */
  fraction(): number;
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuv';

export function systemRandom(): Random {
  // A pool keeps the cost of naming a document at a few hundred nanoseconds.
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
