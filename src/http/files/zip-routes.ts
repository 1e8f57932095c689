import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readContext } from '../../document/context.ts';
import { disposition } from '../../file/content-headers.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { zipMembers, zipStream } from '../../file/zip.ts';
import { NAMES } from '../../operation/arguments.ts';
import { parseRequestArguments } from '../arguments.ts';
import { provenanceOf } from '../caller/provenance.ts';
import { addRoute } from '../route-table.ts';
import { ZIP, ZIP_V2 } from './addresses.ts';

/** `frappe.core.api.file.zip_files`: streams the files and folders in `files` as one zip. */
export function registerZipRoutes(app: FastifyInstance, site: FileSite): void {
  for (const address of [ZIP, ZIP_V2])
    addRoute(app, address, (request, reply) => sendZip(site, request, reply));
}

async function sendZip(site: FileSite, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const ctx = readContext(site, request.user, provenanceOf(request));
  const members = await zipMembers(ctx, NAMES.parse(parseRequestArguments(request), 'files'));
  const { bytes, body } = await zipStream(ctx, site.storage, members);
  reply.headers({
    'content-type': 'application/zip',
    'content-length': bytes,
    'content-disposition': disposition('attachment', 'files.zip'),
    'cache-control': 'private, no-store',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  });
  if (request.method !== 'HEAD') return reply.send(body);
  body.destroy();
  // A stream, because Fastify would measure any other body and change the length.
  return reply.send(Readable.from([]));
}
