import { hash, timingSafeEqual } from 'node:crypto';

/** SHA-256 in hexadecimal. Enough for a secret of 256 random bits, and fast enough for every request. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

// What is unknown is compared too, with a digest that nothing has.
const NO_DIGEST = '0'.repeat(64);

/** Whether a digest is the stored one, in constant time. Nothing is the digest of what is not stored. */
export function sameDigest(given: string, stored: unknown): boolean {
  const isThere = typeof stored === 'string' && stored.length === NO_DIGEST.length;
  const isSame = timingSafeEqual(
    Buffer.from(given, 'latin1'),
    Buffer.from(isThere ? stored : NO_DIGEST, 'latin1'),
  );
  return isThere && isSame;
}
