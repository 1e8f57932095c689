import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Site } from '../document/context.ts';
import { nowMillis } from '../kernel/clock.ts';
import { derivedKey } from '../kernel/derived-key.ts';
import type { StoredFile } from './stored-file.ts';

type LinkSite = Pick<Site, 'secretKey' | 'random' | 'clock' | 'config'>;

const NONCE = 12;
const TAG = 16;
/** Longer than any that `writeFileLink` makes. */
const LONGEST = 1_000;

/**
 * The value of `link` that opens a private file for whoever holds it, until `expires` (seconds since the epoch), with the
 * rights that `user` has at the time. It is good for this url as long as the url means these bytes: a file that is
 * deleted or made public takes its links with it. Sealed, for whom it is from concerns nobody it is sent to.
 */
export function writeFileLink(site: LinkSite, file: StoredFile, user: string, expires: number): string {
  const nonce = site.random.bytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', linkKey(site), nonce);
  cipher.setAAD(about(file));
  const text = cipher.update(JSON.stringify([user, expires]), 'utf8');
  return Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** The user whose link it is; null for what is no link to this file, and for one that has ended. */
export function readFileLink(site: LinkSite, file: StoredFile, link: string): string | null {
  if (link.length > LONGEST || !/^[\w-]+$/.test(link)) return null;
  const bytes = Buffer.from(link, 'base64url');
  if (bytes.length < NONCE + TAG) return null;
  const [user, expires] = unsealed(site, file, bytes) ?? ['', 0];
  const left = expires - nowMillis(site.clock) / 1000;
  // A site that allows less than it did ends what it allowed.
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
