import { extname } from 'node:path';
import { LIMITS } from '../kernel/limits.ts';

/** Code points of the last segment of a file's url: leaves room for a suffix within `LIMITS.fileNameLength`. */
const URL_NAME_LENGTH = 100;
const EXTENSION_LENGTH = 16;

/**
 * The name to display: the last path segment of the sent one, NFC, without control, invisible or
 * direction-changing characters, at most `LIMITS.fileNameLength` code points with its extension kept. '' when
 * nothing remains.
 */
export function displayName(sent: string): string {
  const base = sent.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const visible = base.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/gu, '').trim();
  const cut = shorten(visible, LIMITS.fileNameLength);
  return /^\.*$/.test(cut) ? '' : cut;
}

/**
 * The name in a file's url: letters, digits and `. _ - ( ) + @` only, so that the url can be used as it is, never
 * empty, never beginning with a dot.
 */
export function urlName(sent: string): string {
  const safe = displayName(sent)
    .replace(/[^\p{L}\p{M}\p{N}._()+@-]+/gu, '_')
    .replace(/^[.]+/, '')
    .normalize('NFC');
  return shorten(safe, URL_NAME_LENGTH) || 'file';
}

/** `stem-suffix.ext`. */
export function withSuffix(name: string, suffix: string): string {
  const extension = extensionOf(name);
  return `${name.slice(0, name.length - extension.length)}-${suffix}${extension}`;
}

export function fileUrl(name: string, isPrivate: boolean): string {
  return `${isPrivate ? '/private/files/' : '/files/'}${name}`;
}

/** The name in a url of a stored file; null for every other url. */
export function parseFileUrl(url: string): { readonly name: string; readonly isPrivate: boolean } | null {
  const match = /^(\/private)?\/files\/([^/\\]+)$/.exec(url);
  if (!match?.[2] || match[2] === '.' || match[2] === '..') return null;
  return { name: match[2], isPrivate: match[1] !== undefined };
}

/** Upper-case extension without the dot, as `file_type` has it; '' without one. */
export function fileTypeOf(name: string): string {
  return extensionOf(name).slice(1).toUpperCase();
}

// Shortens the stem by code points, so that the extension still shows the type.
function shorten(name: string, length: number): string {
  const points = [...name];
  if (points.length <= length) return name;
  const extension = extensionOf(name);
  const kept = length - [...extension].length;
  return points.slice(0, kept).join('') + extension;
}

function extensionOf(name: string): string {
  const extension = extname(name);
  return extension.length > 1 && extension.length <= EXTENSION_LENGTH ? extension : '';
}
