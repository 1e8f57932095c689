import { typeByName } from './content-type.ts';
import type { StoredFile } from './stored-file.ts';

/**
 * Headers of every reply with this file, 304 included. Images recognised by their bytes, plain text and PDF are
 * displayed inline; all other files are downloads. The sandbox keeps a deceived browser from running any file in
 * our origin. `kept` makes every file a download.
 */
export function contentHeaders(file: StoredFile, kept = false): Record<string, string> {
  const type = file.imageType || typeByName(file.fileName);
  const isShown = file.imageType !== '' || SHOWN_TYPES.has(type);
  return {
    etag: etagOf(file),
    'last-modified': lastModified(file).toUTCString(),
    'accept-ranges': 'bytes',
    // A public file can become private or be replaced, so caches revalidate after a minute.
    'cache-control': file.isPrivate ? 'private, no-store' : 'public, max-age=60, must-revalidate',
    'content-type': type,
    'content-disposition': disposition(isShown && !kept ? 'inline' : 'attachment', file.fileName),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  };
}

/** Types that browsers show in a sandbox, where a script does not run. A browser without a viewer downloads them. */
const SHOWN_TYPES: ReadonlySet<string> = new Set(['text/plain; charset=utf-8', 'application/pdf']);

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
