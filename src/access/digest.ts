import { hash, timingSafeEqual } from 'node:crypto';

/**
 * SHA-256 in hexadecimal. It is strong enough for a secret of 256 random bits, and fast enough for every
 * request.
 */
export function digestSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

// An unknown secret is compared with this digest, which no secret has.
const NO_DIGEST = '0'.repeat(64);

/** Compares a digest with the stored one in constant time. False when no digest is stored. */
export function sameDigest(given: string, stored: unknown): boolean {
  const isThere = typeof stored === 'string' && stored.length === NO_DIGEST.length;
  const isSame = timingSafeEqual(
    Buffer.from(given, 'latin1'),
    Buffer.from(isThere ? stored : NO_DIGEST, 'latin1'),
  );
  return isThere && isSame;
}
