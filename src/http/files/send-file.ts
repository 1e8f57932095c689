import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { byteRangesBody } from '../../file/byte-ranges.ts';
import { contentHeaders } from '../../file/content-headers.ts';
import { select } from '../../file/select-content.ts';
import { openFile } from '../../file/serve-file.ts';
import type { ByteRange } from '../../file/storage.ts';
import type { StoredFile } from '../../file/stored-file.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { freeBuffer } from '../../kernel/free-buffer.ts';

/**
 * Answers an authorised caller with the bytes of a file: all of them, ranges, or none when the client has
 * them. `kept` makes every file a download.
 * @throws ServiceError PreconditionFailedError, RangeNotSatisfiableError, DoesNotExistError when the storage
 * lost it
 */
export async function sendFile(
  site: FileSite,
  file: StoredFile,
  kept: boolean,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const handOver = handOverHeader(site, file);
  if (handOver) {
    // The web server in front checks conditions and ranges against the file it finds.
    const { etag: _etag, 'last-modified': _modified, ...headers } = contentHeaders(file, kept);
    return reply.headers({ ...headers, ...handOver }).send('');
  }
  const { headers } = request;
  const selection = select(file, {
    ifMatch: headers['if-match'],
    ifUnmodifiedSince: headers['if-unmodified-since'],
    ifNoneMatch: headers['if-none-match'],
    ifModifiedSince: headers['if-modified-since'],
    ifRange: single(headers['if-range']),
    range: request.method === 'GET' ? headers.range : undefined,
  });
  if (selection === 'changed') throw new ServiceError('PreconditionFailedError', 'The file has changed');
  if (selection === 'unsatisfiable') throw unsatisfiable(file.bytes);
  const isSimple = request.method === 'GET' && headers['if-range'] === undefined;
  if (isSimple && (selection === 'whole' || selection.length === 1)) {
    const url = await presigned(site, file, kept);
    // Access is checked on each request, so nobody may cache the redirect.
    if (url !== null) return reply.header('cache-control', 'private, no-store').redirect(url, 302);
  }
  const shown = contentHeaders(file, kept);
  if (selection === 'not modified') {
    return reply.code(304).headers(shown).removeHeader('content-type').send();
  }
  if (selection === 'whole') return sendOne(site, file, undefined, shown, request, reply);
  const [first, ...more] = selection;
  if (more.length > 0) return sendRanges(site, file, selection, reply.code(206).headers(shown));
  shown['content-range'] = `bytes ${first?.start}-${first?.end}/${file.bytes}`;
  return sendOne(site, file, first, shown, request, reply);
}

async function sendOne(
  { storage }: FileSite,
  file: StoredFile,
  range: ByteRange | undefined,
  shown: Record<string, string>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // Opened before the headers are set, which a refusal must not carry. HEAD gets a stream, because Fastify
  // would measure any other body and change the length.
  const body = request.method === 'HEAD' ? Readable.from([]) : (await openFile(storage, file, range)).body;
  reply.code(range ? 206 : 200).headers(shown);
  reply.header('content-length', range ? range.end - range.start + 1 : file.bytes);
  // A connection that ends early may still hold the bytes, so there the garbage collector frees them.
  if (Buffer.isBuffer(body)) reply.raw.once('finish', () => freeBuffer(body));
  // Fastify pipes with backpressure and destroys the stream when the client goes away.
  return reply.send(body);
}

function sendRanges(
  { storage, random }: FileSite,
  file: StoredFile,
  ranges: readonly ByteRange[],
  reply: FastifyReply,
): FastifyReply {
  const whole = {
    total: file.bytes,
    contentType: String(reply.getHeader('content-type')),
    boundary: random.bytes(18).toString('hex'),
  };
  const body = byteRangesBody(ranges, whole, (range) => openFile(storage, file, range));
  reply.header('content-type', body.contentType).header('content-length', body.bytes);
  return reply.send(body.stream());
}

/**
 * A presigned url of the store, which the client requests in the same way; null where this server sends the
 * file.
 */
async function presigned(
  { storage, config }: FileSite,
  file: StoredFile,
  kept: boolean,
): Promise<string | null> {
  const { presign: seconds } = config.downloads;
  if (seconds === 0 || !storage.presign) return null;
  const headers = contentHeaders(file, kept);
  const contentType = headers['content-type'] ?? 'application/octet-stream';
  const disposition = headers['content-disposition'] ?? 'attachment';
  return storage.presign(file.storageKey, { seconds, contentType, disposition });
}

/** The header that makes the web server in front send the file; null where this server does. */
function handOverHeader({ storage, config }: FileSite, file: StoredFile): Record<string, string> | null {
  const { accelRedirect, sendfile } = config.downloads;
  if (!storage.pathOf) return null;
  if (accelRedirect !== null) return { 'x-accel-redirect': accelRedirect + file.storageKey };
  return sendfile ? { 'x-sendfile': storage.pathOf(file.storageKey) } : null;
}

function unsatisfiable(bytes: number): ServiceError {
  return new ServiceError('RangeNotSatisfiableError', 'The requested range lies outside the file', {
    headers: { 'Content-Range': `bytes */${bytes}` },
  });
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
