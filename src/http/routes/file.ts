import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readContext } from '../../document/context.ts';
import { contentHeaders, select } from '../../file/content-headers.ts';
import { authoriseFile, openFile } from '../../file/serve-file.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { queryOf } from '../arguments.ts';
import { addRoute } from '../route-table.ts';

/** Downloads: `/files/…` for everyone, `/private/files/…` for those who may read the File now; both by `download_file` too. */
export function registerFileRoutes(app: FastifyInstance, site: FileSite): void {
  for (const prefix of ['/files/', '/private/files/']) {
    // Private files answer Guest like everyone else without permission, so the route itself asks for nothing.
    addRoute(app, `${prefix}*`, prefix === '/files/' ? 'guest' : 'permission', 'read', {
      GET: (request, reply) => {
        const { '*': rest } = request.params as { '*': string };
        return serveFile(site, prefix + rest, request, reply);
      },
    });
  }
  for (const path of ['/api/method/download_file', '/api/v2/method/download_file']) {
    addRoute(app, path, 'guest', 'read', {
      GET: (request, reply) => serveFile(site, queryOf(request).file_url ?? '', request, reply),
    });
  }
}

/** Sends the file of a url to whoever may read it. @throws ServiceError as `authoriseFile`, RangeNotSatisfiableError */
export async function serveFile(
  site: FileSite,
  url: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const file = await authoriseFile(readContext(site, request.user), url);
  const { headers } = request;
  const selection = select(file, {
    ifNoneMatch: headers['if-none-match'],
    ifModifiedSince: headers['if-modified-since'],
    ifRange: single(headers['if-range']),
    range: headers.range,
  });
  reply.headers(contentHeaders(file));
  if (selection === 'not modified') return reply.code(304).removeHeader('content-type').send();
  if (selection === 'unsatisfiable') throw unsatisfiable(reply, file.bytes);
  const range = selection === 'whole' ? undefined : selection;
  if (range) {
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.bytes}`);
  }
  reply.header('content-length', range ? range.end - range.start + 1 : file.bytes);
  // A stream, because anything else would be measured and change the length.
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  const { body } = await openFile(site.storage, file, range);
  // Fastify pipes with backpressure and destroys the stream when the client goes away.
  return reply.send(body);
}

function unsatisfiable(reply: FastifyReply, bytes: number): ServiceError {
  for (const name of ['etag', 'last-modified', 'content-disposition']) reply.removeHeader(name);
  return new ServiceError('RangeNotSatisfiableError', 'The requested range lies outside the file', {
    headers: { 'Content-Range': `bytes */${bytes}` },
  });
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
