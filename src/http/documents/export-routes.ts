import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readContext } from '../../document/context.ts';
import { type ExportRequest, exportList } from '../../document/list/export.ts';
import { FORMATS, type Format } from '../../exchange/line.ts';
import { disposition } from '../../file/content-headers.ts';
import { typeByName } from '../../file/content-type.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { queryOf } from '../arguments.ts';
import { provenanceOf } from '../caller/provenance.ts';
import { addRoute } from '../route-table.ts';
import { EXPORT, EXPORT_V2 } from './export-addresses.ts';

/** `chancery.export`: streams a list as a file. */
export function registerExportRoutes(app: FastifyInstance, site: OpenSite): void {
  for (const address of [EXPORT, EXPORT_V2])
    addRoute(app, address, (request, reply) => sendExport(site, request, reply), {
      isAnsweredByReaders: () => true,
    });
}

async function sendExport(
  site: OpenSite,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { doctype, ...asked } = exportRequest(request);
  const ctx = readContext(site, request.user, provenanceOf(request));
  const pieces = await exportList(ctx, doctype, asked);
  // The first piece, so that errors at the begin are replies.
  const first = await pieces.next();
  async function* all(): AsyncGenerator<Uint8Array> {
    if (!first.done) yield first.value;
    yield* pieces;
  }
  const day = formatTimestamp(site.clock.micros(), site.config.timeZone).slice(0, 10);
  const name = `${doctype} ${day}.${asked.format}`;
  reply.headers({
    'content-type': typeByName(name),
    'content-disposition': disposition('attachment', name),
    'cache-control': 'private, no-store',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  });
  return reply.send(Readable.from(all(), { objectMode: false }));
}

function exportRequest(request: FastifyRequest): ExportRequest & { readonly doctype: string } {
  const query = queryOf(request);
  const { doctype, format = 'csv', fields = '', heads = 'names', filters, or_filters, order_by } = query;
  if (typeof doctype !== 'string' || doctype === '') {
    throw new ServiceError('ValidationError', 'Parameter doctype is missing');
  }
  if (!isFormat(format))
    throw new ServiceError('ValidationError', `Parameter format must be one of ${FORMATS.join(', ')}`);
  if (heads !== 'names' && heads !== 'labels') {
    throw new ServiceError('ValidationError', 'Parameter heads must be names or labels');
  }
  return {
    doctype,
    format,
    fields: String(fields)
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    hasLabels: heads === 'labels',
    filters,
    or_filters,
    order_by,
  };
}

function isFormat(value: unknown): value is Format {
  return FORMATS.some((format) => format === value);
}
