import { LIMITS } from '../../kernel/limits.ts';

/** A part of a plain form. The bytes of a file share the memory of the form. */
export type PlainPart = PlainField | PlainFile;

interface PlainField {
  readonly type: 'field';
  readonly fieldname: string;
  readonly value: string;
}

interface PlainFile {
  readonly type: 'file';
  readonly fieldname: string;
  readonly filename: string;
  readonly file: Buffer;
}

const TYPE = /^multipart\/form-data; ?boundary=([\w.-]{1,70})$/i;
// What browsers, curl and the usual libraries send, with names that need no decoding.
const HEAD =
  /^content-disposition: form-data; name="(\w[\w .()+,@-]*)"(?:; filename="(\w[\w .()+,@-]*)"(?:\r\ncontent-type: [\w.+-]+\/[\w.+-]+)?)?$/i;
const MOST_HEAD = 1_000;

/**
 * The parts of a multipart form of the plainest shape, with at most one file; null for any other form. It never
 * refuses: a form that is odd, broken or beyond a limit is one for the parser that streams, which gives the same
 * parts of a plain form.
 */
export function parsePlainForm(bytes: Buffer, contentType: string): readonly PlainPart[] | null {
  const boundary = TYPE.exec(contentType)?.[1];
  if (boundary === undefined) return null;
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const first = delimiter.subarray(2);
  if (!bytes.subarray(0, first.length).equals(first)) return null;
  const parts: PlainPart[] = [];
  for (let at = first.length; ; ) {
    if (bytes[at] === DASH) return isEnd(bytes, at) && areFew(parts) ? parts : null;
    const headEnd = bytes.subarray(at, at + MOST_HEAD).indexOf('\r\n\r\n') + at;
    // From here on, because a delimiter may cut the head off.
    const end = bytes.indexOf(delimiter, at);
    if (headEnd <= at || end < headEnd + 4 || parts.length > LIMITS.uploadFields) return null;
    const [, fieldname = '', filename] = HEAD.exec(bytes.toString('latin1', at + 2, headEnd)) ?? [];
    if (bytes[at] !== CR || bytes[at + 1] !== LF || fieldname === '' || fieldname in {}) return null;
    const content = bytes.subarray(headEnd + 4, end);
    if (filename !== undefined) parts.push({ type: 'file', fieldname, filename, file: content });
    else parts.push({ type: 'field', fieldname, value: content.toString('utf8') });
    at = end + delimiter.length;
  }
}

const [CR, LF, DASH] = [0x0d, 0x0a, 0x2d];

function isEnd(bytes: Buffer, at: number): boolean {
  const end = bytes.toString('latin1', at, at + 5);
  return end === '--' || end === '--\r\n';
}

/** False for a form without parts too. */
function areFew(parts: readonly PlainPart[]): boolean {
  const files = parts.filter(({ type }) => type === 'file').length;
  return parts.length > 0 && files <= 1 && parts.length - files <= LIMITS.uploadFields;
}
