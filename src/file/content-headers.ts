import { typeByName } from './content-type.ts';
import type { StoredFile } from './stored-file.ts';

/**
 * Headers of every reply with this file, 304 included. Only images recognised by their bytes are displayed
 * inline; all other files are downloads, and the sandbox keeps a deceived browser from running them in our
 * origin. `kept` makes images downloads too.
 */
export function contentHeaders(file: StoredFile, kept = false): Record<string, string> {
  const shown = file.imageType !== '';
  return {
    etag: etagOf(file),
    'last-modified': lastModified(file).toUTCString(),
    'accept-ranges': 'bytes',
    // A public file can become private or be replaced, so caches revalidate after a minute.
    'cache-control': file.isPrivate ? 'private, no-store' : 'public, max-age=60, must-revalidate',
    'content-type': shown ? file.imageType : typeByName(file.fileName),
    'content-disposition': disposition(shown && !kept ? 'inline' : 'attachment', file.fileName),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  };
}

/** RFC 6266: an ASCII name for old clients, and the real one in UTF-8 beside it if they differ. */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  if (plain === name) return `${kind}; filename="${plain}"`;
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** A strong entity tag: only equal bytes have the same. */
export function etagOf(file: StoredFile): string {
  return `"${file.sha256}"`;
}

/** The time at which the url got these bytes, in whole seconds as in HTTP. */
export function lastModified(file: StoredFile): Date {
  return new Date(`${file.createdAt.slice(0, 19).replace(' ', 'T')}Z`);
}
