import { ServiceError } from '../kernel/errors.ts';
import type { OpenBytes } from './line.ts';

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
/** An encoding of text. */
export type Encoding = (typeof ENCODINGS)[number];

/** Bytes whose shape decides about UTF-16 without a mark. */
const SHAPE_BYTES = 4_096;

/**
 * The encoding of a file: by its byte order mark, then by the zeros of UTF-16, then UTF-8 if all bytes are valid,
 * else Windows-1252.
 */
export async function detectEncoding(open: OpenBytes): Promise<Encoding> {
  let decoder: TextDecoder | null = null;
  for await (const bytes of open()) {
    if (decoder === null) {
      const known = marked(bytes) ?? shaped(bytes);
      if (known) return known;
      decoder = new TextDecoder('utf-8', { fatal: true });
    }
    if (!isValid(decoder, bytes)) return 'windows-1252';
  }
  return decoder === null || isValid(decoder) ? 'utf-8' : 'windows-1252';
}

function marked(bytes: Uint8Array): Encoding | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : null;
}

// Latin letters, digits and separators are a zero byte and another one; no other encoding has zeros.
function shaped(bytes: Uint8Array): Encoding | null {
  const zeros = [0, 0];
  const length = Math.min(bytes.length, SHAPE_BYTES);
  for (let at = 0; at < length; at++) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (Math.max(even, odd) < length / 5) return null;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

function isValid(decoder: TextDecoder, bytes?: Uint8Array): boolean {
  try {
    decoder.decode(bytes, { stream: bytes !== undefined });
    return true;
  } catch {
    return false;
  }
}

/**
 * The text of a file in pieces, without its byte order mark.
 * @throws ServiceError ValidationError for bytes that the encoding does not have
 */
export async function* decodeText(open: OpenBytes, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const bytes of open()) {
      const text = decoder.decode(bytes, { stream: true });
      if (text !== '') yield text;
    }
    const rest = decoder.decode();
    if (rest !== '') yield rest;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ServiceError('ValidationError', `The file is not valid ${encoding}: choose another encoding`);
  }
}
