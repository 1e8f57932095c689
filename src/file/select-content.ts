import { LIMITS } from '../kernel/limits.ts';
import { etagOf, lastModified } from './content-headers.ts';
import type { ByteRange } from './storage.ts';
import type { StoredFile } from './stored-file.ts';

/** The conditional and range headers of a request, as sent. */
export interface Conditions {
  readonly ifMatch?: string | undefined;
  readonly ifUnmodifiedSince?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  readonly ifRange?: string | undefined;
  /** Only for GET: other methods have no ranges. */
  readonly range?: string | undefined;
}

/** One or more ranges within the file, in the requested order. */
export type Selection = 'changed' | 'not modified' | 'whole' | 'unsatisfiable' | readonly ByteRange[];

/** Decides which part of the file answers a request, in the order of RFC 9110 section 13.2.2. */
export function select(file: StoredFile, conditions: Conditions): Selection {
  const { ifMatch, ifUnmodifiedSince, ifNoneMatch, ifModifiedSince, ifRange, range } = conditions;
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, etagOf(file), 'strongly')) return 'changed';
  } else if (ifUnmodifiedSince !== undefined) {
    if (lastModified(file).getTime() > Date.parse(ifUnmodifiedSince)) return 'changed';
  }
  if (ifNoneMatch !== undefined) {
    if (matches(ifNoneMatch, etagOf(file), 'weakly')) return 'not modified';
  } else if (ifModifiedSince !== undefined) {
    if (lastModified(file).getTime() <= Date.parse(ifModifiedSince)) return 'not modified';
  }
  if (range === undefined) return 'whole';
  if (ifRange !== undefined && ifRange !== etagOf(file) && ifRange !== lastModified(file).toUTCString()) {
    return 'whole';
  }
  return parseRanges(range, file.bytes);
}

/**
 * An invalid list of ranges selects the whole file. So does one that would cost more than the whole: too many
 * ranges, or ranges that together are as long as the file.
 */
function parseRanges(header: string, bytes: number): Selection {
  const list = /^bytes=(.*)$/i.exec(header)?.[1]?.split(',') ?? [];
  if (list.length === 0 || list.length > LIMITS.byteRanges) return 'whole';
  const ranges: ByteRange[] = [];
  for (const text of list) {
    const range = parseRange(text, bytes);
    if (range === 'malformed') return 'whole';
    if (range !== 'outside') ranges.push(range);
  }
  if (ranges.length === 0) return 'unsatisfiable';
  const asked = ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0);
  return ranges.length > 1 && asked >= bytes ? 'whole' : ranges;
}

function parseRange(text: string, bytes: number): ByteRange | 'malformed' | 'outside' {
  const [, first = '', last = ''] = /^[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/.exec(text) ?? [];
  if (first === '' && last === '') return 'malformed';
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'outside' : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'malformed';
  if (start >= bytes) return 'outside';
  return { start, end: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) };
}

function matches(header: string, etag: string, how: 'strongly' | 'weakly'): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((candidate) => {
    const tag = candidate.trim();
    return (how === 'weakly' ? tag.replace(/^W\//, '') : tag) === etag;
  });
}
