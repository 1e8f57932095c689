import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Site } from '../document/contract.ts';
import { nowMillis } from '../kernel/clock.ts';
import { derivedKey } from '../kernel/derived-key.ts';
import type { StoredFile } from './stored-file.ts';

type LinkSite = Pick<Site, 'secretKey' | 'random' | 'clock' | 'config'>;

const NONCE = 12;
const TAG = 16;
/** Longer than any link of `writeFileLink`. */
const LONGEST = 1_000;

/**
 * The value of `link` that opens a private file for its holder until `expires` (seconds since the epoch),
 * with the present rights of `user`. Valid for this url and these bytes only: deleting or publishing the file
 * ends its links. Encrypted, so that recipients do not learn the user's name.
 */
export function writeFileLink(site: LinkSite, file: StoredFile, user: string, expires: number): string {
  const nonce = site.random.bytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', linkKey(site), nonce);
  cipher.setAAD(about(file));
  const text = cipher.update(JSON.stringify([user, expires]), 'utf8');
  return Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** The user who made the link; null for an invalid or expired one. */
export function parseFileLink(site: LinkSite, file: StoredFile, link: string): string | null {
  if (link.length > LONGEST || !/^[\w-]+$/.test(link)) return null;
  const bytes = Buffer.from(link, 'base64url');
  if (bytes.length < NONCE + TAG) return null;
  const [user, expires] = unsealed(site, file, bytes) ?? ['', 0];
  const left = expires - nowMillis(site.clock) / 1000;
  // If the site has shortened the life of links, longer ones expire.
  return left > 0 && left <= site.config.downloads.linkLife ? user : null;
}

function unsealed(site: LinkSite, file: StoredFile, bytes: Buffer): [user: string, expires: number] | null {
  const decipher = createDecipheriv('aes-256-gcm', linkKey(site), bytes.subarray(0, NONCE), {
    authTagLength: TAG,
  });
  decipher.setAAD(about(file));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
  try {
    const text = decipher.update(bytes.subarray(NONCE, bytes.length - TAG));
    return JSON.parse(Buffer.concat([text, decipher.final()]).toString('utf8'));
  } catch {
    return null;
  }
}

function linkKey({ secretKey }: LinkSite): Uint8Array {
  return derivedKey(secretKey, 'file links');
}

function about({ fileUrl, createdAt, sha256 }: StoredFile): Buffer {
  return Buffer.from([fileUrl, createdAt, sha256].join('\n'));
}
