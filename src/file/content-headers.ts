import { typeByName } from './content-type.ts';
import type { StoredFile } from './stored-file.ts';

/**
 * Headers of every reply with this file, 304 included. Only images that the server recognised by their bytes are shown
 * in place; everything else is a download, and the sandbox keeps even a tricked browser from running it in our origin.
 * `kept` asks for a download of images too.
 */
export function contentHeaders(file: StoredFile, kept = false): Record<string, string> {
  const shown = file.imageType !== '';
  return {
    etag: etagOf(file),
    'last-modified': lastModified(file).toUTCString(),
    'accept-ranges': 'bytes',
    // A public file can become private or be replaced, so copies are asked about again after a minute.
    'cache-control': file.isPrivate ? 'private, no-store' : 'public, max-age=60, must-revalidate',
    'content-type': shown ? file.imageType : typeByName(file.fileName),
    'content-disposition': disposition(shown && !kept ? 'inline' : 'attachment', file.fileName),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  };
}

/** RFC 6266: a plain name for old clients, the real one in UTF-8 beside it where they differ. */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  if (plain === name) return `${kind}; filename="${plain}"`;
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** A strong entity tag: equal bytes, and nothing else, have it. */
export function etagOf(file: StoredFile): string {
  return `"${file.sha256}"`;
}

/** When the url came to mean these bytes. HTTP knows whole seconds only. */
export function lastModified(file: StoredFile): Date {
  return new Date(`${file.createdAt.slice(0, 19).replace(' ', 'T')}Z`);
}
