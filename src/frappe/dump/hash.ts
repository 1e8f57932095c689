const LOW_BITS = 2 ** 21;

/** Hashes bytes to a whole number below 2^53: short enough for a table of millions, long enough to be one text. */
export function hashBytes(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let first = Math.imul(0x811c9dc5 ^ seed, 0x01000193);
  let second = Math.imul(0x9e3779b9 ^ seed, 0x85ebca6b);
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    first = Math.imul(first ^ byte, 0x01000193);
    second = Math.imul((second << 5) ^ (second >>> 27) ^ byte, 0x9e3779b1);
  }
  first = Math.imul(first ^ (first >>> 15), 0x2c1b3c6d);
  second = Math.imul(second ^ (second >>> 13), 0x297a2d39);
  return (first >>> 0) * LOW_BITS + (second >>> 11);
}

export function hashText(text: string, seed: number): number {
  const bytes = Buffer.from(text);
  return hashBytes(bytes, 0, bytes.length, seed);
}
