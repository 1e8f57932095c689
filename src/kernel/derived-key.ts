import { hkdfSync } from 'node:crypto';
import { memo } from './memo.ts';

const keysOf = memo((_: Uint8Array) => new Map<string, Uint8Array>());

/**
 * Derives a key of 32 bytes from the site's secret key for one purpose. Each pair of key and purpose is
 * derived once.
 */
export function derivedKey(secretKey: Uint8Array, purpose: string): Uint8Array {
  const known = keysOf(secretKey);
  const key = known.get(purpose) ?? new Uint8Array(hkdfSync('sha256', secretKey, '', purpose, 32));
  known.set(purpose, key);
  return key;
}
