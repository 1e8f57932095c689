import { extname } from 'node:path';

/**
 * The image type that the first bytes show, if it is one of the few types that are safe in our origin;
 * otherwise null. SVG is not among them: it can contain scripts.
 */
export function sniffImage(head: Uint8Array): string | null {
  const text = Buffer.from(head.subarray(0, 64)).toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'image/gif';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
  if (text.slice(4, 8) === 'ftyp' && /^avi[fs]/.test(text.slice(8))) return 'image/avif';
  return null;
}

/** The content type of a file by its extension. None of these types can run in a page. */
export function typeByName(name: string): string {
  return TYPES.get(extname(name).slice(1).toLowerCase()) ?? 'application/octet-stream';
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['csv', 'text/csv; charset=utf-8'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['eml', 'message/rfc822'],
  ['gz', 'application/gzip'],
  ['ics', 'text/calendar; charset=utf-8'],
  ['json', 'application/json'],
  ['md', 'text/markdown; charset=utf-8'],
  ['mov', 'video/quicktime'],
  ['mp3', 'audio/mpeg'],
  ['mp4', 'video/mp4'],
  ['ndjson', 'application/x-ndjson'],
  ['odp', 'application/vnd.oasis.opendocument.presentation'],
  ['ods', 'application/vnd.oasis.opendocument.spreadsheet'],
  ['odt', 'application/vnd.oasis.opendocument.text'],
  ['pdf', 'application/pdf'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['rtf', 'application/rtf'],
  ['tar', 'application/x-tar'],
  ['txt', 'text/plain; charset=utf-8'],
  ['wav', 'audio/wav'],
  ['webm', 'video/webm'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['zip', 'application/zip'],
]);
