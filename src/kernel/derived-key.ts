import { hkdfSync } from 'node:crypto';

const derived = new WeakMap<Uint8Array, Map<string, Uint8Array>>();

/** A key of 32 bytes that the site's secret key gives for one purpose. A pair of key and purpose is derived once. */
export function derivedKey(secretKey: Uint8Array, purpose: string): Uint8Array {
  const known = derived.get(secretKey) ?? new Map<string, Uint8Array>();
  derived.set(secretKey, known);
  const key = known.get(purpose) ?? new Uint8Array(hkdfSync('sha256', secretKey, '', purpose, 32));
  known.set(purpose, key);
  return key;
}
