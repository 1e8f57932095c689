/** Secrets of the made-up site, and how Frappe stores them. */
import { createCipheriv, createHmac } from 'node:crypto';

/** The key of the site's configuration: 32 bytes in base64. */
export const ENCRYPTION_KEY = Buffer.from('a-key-of-a-made-up-site-32-bytes').toString('base64url');
export const PASSPHRASE = 'correct horse';
/** Ana's password, API key and secret. */
export const ANA = {
  user: 'ana@example.com',
  password: 'ana-secret-1',
  key: '0a1b2c3d4e5f607',
  secret: 'f00dfeedf00dfee',
};

/** As Frappe encrypts a secret. */
export function fernetToken(clear: string): string {
  const key = Buffer.from(ENCRYPTION_KEY, 'base64url');
  const iv = Buffer.from('an-iv-of-16-byte');
  const cipher = createCipheriv('aes-128-cbc', key.subarray(16), iv);
  const head = Buffer.from([0x80, 0, 0, 0, 0, 0x60, 0, 0, 0]);
  const body = Buffer.concat([head, iv, cipher.update(clear, 'utf8'), cipher.final()]);
  const tag = createHmac('sha256', key.subarray(0, 16)).update(body).digest();
  return Buffer.concat([body, tag])
    .toString('base64url')
    .replace(/$/, '='.repeat((4 - ((((body.length + 32) * 4) / 3) % 4)) % 4));
}

/** `ana-secret-1`, hashed with pbkdf2 as Python's passlib does. */
export const ANA_HASH =
  '$pbkdf2-sha256$29000$MDEyMzQ1Njc4OWFiY2RlZg$yl6JN/sSmnIrUxFsGGRTYN2qcmPINu9A2dn84RW69wI';
