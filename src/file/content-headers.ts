import { typeByName } from './content-type.ts';
import type { ByteRange } from './storage.ts';
import type { StoredFile } from './stored-file.ts';

/**
 * Headers of every reply with this file, 304 included. Only images that the server recognised by their bytes are shown
 * in place; everything else is a download, and the sandbox keeps even a tricked browser from running it in our origin.
 */
export function contentHeaders(file: StoredFile): Record<string, string> {
  const shown = file.imageType !== '';
  return {
    etag: etagOf(file),
    'last-modified': lastModified(file).toUTCString(),
    'accept-ranges': 'bytes',
    // A public file can become private or be replaced, so copies are asked about again after a minute.
    'cache-control': file.isPrivate ? 'private, no-store' : 'public, max-age=60, must-revalidate',
    'content-type': shown ? file.imageType : typeByName(file.fileName),
    'content-disposition': disposition(shown ? 'inline' : 'attachment', file.fileName),
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

export interface Conditions {
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  readonly ifRange?: string | undefined;
  readonly range?: string | undefined;
}

export type Selection = 'not modified' | 'whole' | 'unsatisfiable' | ByteRange;

/** What of the file a GET is to be answered with, in the order of RFC 9110 section 13.2.2. */
export function select(file: StoredFile, conditions: Conditions): Selection {
  const { ifNoneMatch, ifModifiedSince, ifRange, range } = conditions;
  if (ifNoneMatch !== undefined) {
    if (matches(ifNoneMatch, etagOf(file))) return 'not modified';
  } else if (ifModifiedSince !== undefined) {
    if (lastModified(file).getTime() <= Date.parse(ifModifiedSince)) return 'not modified';
  }
  if (range === undefined) return 'whole';
  if (ifRange !== undefined && ifRange !== etagOf(file) && ifRange !== lastModified(file).toUTCString()) {
    return 'whole';
  }
  return parseRange(range, file.bytes);
}

// One range only: several would take a multipart reply, and RFC 9110 lets a server answer with the whole instead.
function parseRange(header: string, bytes: number): Selection {
  const match = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/.exec(header);
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= bytes) return 'unsatisfiable';
  return { start, end: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) };
}

function matches(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}

function etagOf(file: StoredFile): string {
  return `"${file.sha256}"`;
}

// `created_at` is UTC; HTTP knows whole seconds only.
function lastModified(file: StoredFile): Date {
  return new Date(`${file.createdAt.slice(0, 19).replace(' ', 'T')}Z`);
}
