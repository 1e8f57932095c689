import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FileSite } from '../../file/upload-file.ts';
import { type ErrorType, ServiceError } from '../../kernel/errors.ts';
import { addRoute } from '../route-table.ts';
import { requireBodyWithin } from '../wire/unread-body.ts';
import { TUS, TUS_UPLOAD } from './addresses.ts';
import { UploadLocks } from './tus-lock.ts';
import { CHECKSUM_ALGORITHMS, TUS_EXTENSIONS } from './tus-protocol.ts';
import { watchRate } from './upload-file.ts';

const VERSION = '1.0.0';
const BYTES = 'application/offset+octet-stream';

/**
 * Resumable uploads by tus 1.0: POST begins an upload, PATCH adds bytes, HEAD returns the number of bytes
 * received, DELETE ends it. The reply to the last bytes names the File document in `Upload-Document`; so does
 * HEAD from then on.
 */
export function registerTusRoutes(app: FastifyInstance, site: FileSite, idleTimeout: number): void {
  // In a scope of its own, so that no other route receives a body as a stream.
  app.register(async (scope) => {
    scope.addContentTypeParser(BYTES, (_request, payload, done) => done(null, payload));
    const locks = new UploadLocks();
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      answer(site, locks, idleTimeout, request, reply);
    // OPTIONS lists what the server supports.
    const headers = () => ({
      'tus-resumable': VERSION,
      'tus-version': VERSION,
      'tus-extension': TUS_EXTENSIONS.join(','),
      'tus-max-size': String(site.settings.maxFileBytes),
      'tus-checksum-algorithm': CHECKSUM_ALGORITHMS.join(','),
    });
    addRoute(scope, TUS, handler, { headers });
    addRoute(scope, TUS_UPLOAD, handler, { headers });
  });
}

async function answer(
  site: FileSite,
  locks: UploadLocks,
  idleTimeout: number,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.header('tus-resumable', VERSION);
  if (request.headers['tus-resumable'] !== VERSION) {
    throw new ServiceError('PreconditionFailedError', `Tus-Resumable must be ${VERSION}`, {
      headers: { 'Tus-Version': VERSION },
    });
  }
  if (request.method === 'PATCH' && request.headers['content-type'] !== BYTES) {
    throw new ServiceError('UnsupportedMediaTypeError', `Send ${BYTES}`);
  }
  requireBodyWithin(request.raw, site.settings.maxFileBytes);
  // Loaded with the first upload: the library takes a tenth of the start time.
  const [{ Server }, { TusStore }] = await Promise.all([import('@tus/server'), import('./tus-store.ts')]);
  let failure: unknown = null;
  const store = new TusStore(site, request, locks);
  // A server per request is cheap, and knows the user of its request.
  const server = new Server({
    path: TUS.path,
    datastore: store,
    locker: store.locker(),
    lockDrainTimeout: 500,
    maxSize: site.settings.maxFileBytes,
    relativeLocation: true,
    namingFunction: () => site.random.bytes(18).toString('base64url'),
    onResponseError(_request, error) {
      failure = error;
      return undefined;
    },
  });
  const stopWatching = watchRate(request.raw, idleTimeout);
  request.raw.once('end', stopWatching);
  let response: Response;
  try {
    response = await server.handleWeb(webRequest(request));
  } finally {
    stopWatching();
  }
  if (response.status >= 400) {
    throw await refusal(failure, response);
  }
  for (const [name, value] of response.headers) {
    // CORS headers are set in one place for all routes.
    if (!name.startsWith('access-control-') && name !== 'content-length') reply.header(name, value);
  }
  if (store.file !== null) reply.header('upload-document', encodeURIComponent(store.file));
  return reply.code(response.status).send();
}

function webRequest(request: FastifyRequest): Request {
  const { method, raw, body } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw.headers)) {
    if (typeof value === 'string') headers.set(name, value);
  }
  // The library reads only the last part of the address.
  const url = new URL(request.url.split('?', 1)[0] ?? '', 'http://localhost');
  if (!(body instanceof Readable)) return new Request(url, { method, headers });
  // Node's stream type and the one of its global Request differ only in parts that are not used here.
  const stream = Readable.toWeb(body) as unknown as ReadableStream;
  const init = { method, headers, body: stream, duplex: 'half' as const };
  return new Request(url, init);
}

const TYPES: Readonly<Record<number, ErrorType>> = {
  404: 'DoesNotExistError',
  409: 'UploadConflictError',
  410: 'DoesNotExistError',
  413: 'RequestTooLargeError',
};

/** Translates the library's refusals into ServiceErrors. An unexpected error stays as it is. */
async function refusal(failure: unknown, response: Response): Promise<unknown> {
  if (failure instanceof Error && !('status_code' in failure)) return failure;
  const text = (await response.text()).trim() || 'The request is not part of the tus protocol';
  // The library answers 501 for extensions that are not offered: the request is wrong, not the server.
  return new ServiceError(TYPES[response.status] ?? 'BadRequestError', text);
}
