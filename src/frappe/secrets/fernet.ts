import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';

const VERSION = 0x80;
const HEAD = 1 + 8 + 16;
const TAG = 32;

/** Decrypts texts that Frappe encrypted with `encryption_key`: Fernet, AES-128-CBC with HMAC-SHA256. */
export interface Fernet {
  /** The clear text; null when the text is not Fernet's, or was made with another key. */
  open(token: string): string | null;
}

/** Null when the key is not one of Fernet. */
export function fernet(key: string): Fernet | null {
  const bytes = Buffer.from(key, 'base64url');
  if (bytes.length !== 32) return null;
  const signing = bytes.subarray(0, 16);
  const encrypting = bytes.subarray(16);
  return {
    open(token) {
      const sealed = Buffer.from(token, 'base64url');
      if (sealed[0] !== VERSION || sealed.length < HEAD + 16 + TAG) return null;
      const body = sealed.subarray(0, sealed.length - TAG);
      const tag = createHmac('sha256', signing).update(body).digest();
      if (!timingSafeEqual(tag, sealed.subarray(sealed.length - TAG))) return null;
      try {
        const cipher = createDecipheriv('aes-128-cbc', encrypting, body.subarray(9, HEAD));
        return Buffer.concat([cipher.update(body.subarray(HEAD)), cipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
}
