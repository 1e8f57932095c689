import { ServiceError } from '../kernel/errors.ts';

/** Values of `decode` for text that is not encoded. */
const PLAIN: ReadonlySet<unknown> = new Set([undefined, null, '', 0, false, '0', 'false', 'False']);

/**
 * Bytes sent as text: plain, or in Base64 if `decode` says so, also as a data URL.
 * @throws ServiceError ValidationError
 */
export function bytesOfText(text: string, decode: unknown): Buffer {
  if (PLAIN.has(decode)) return Buffer.from(text, 'utf8');
  const start = text.startsWith('data:') ? text.indexOf(',') + 1 : 0;
  const base64 = text.slice(start).replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64)) {
    throw new ServiceError('ValidationError', 'The content is not valid base64');
  }
  return Buffer.from(base64, 'base64');
}
