import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readContext } from '../../document/context.ts';
import { type ExportRequest, exportList } from '../../document/list/export.ts';
import { readDocument } from '../../document/verbs/read.ts';
import { FORMATS, type Format } from '../../exchange/line.ts';
import { disposition } from '../../file/content-headers.ts';
import { typeByName } from '../../file/content-type.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { DATA_LOAD, readLoad } from '../../load/data-load.ts';
import { readProblems } from '../../load/problems.ts';
import { failedRows } from '../../load/save/failed-rows.ts';
import { storedPlan } from '../../load/save/import-plan.ts';
import { uploadedFile } from '../../load/save/uploaded-file.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { queryOf } from '../arguments.ts';
import { provenanceOf } from '../caller/provenance.ts';
import { addRoute } from '../route-table.ts';
import { EXPORT, EXPORT_V2, IMPORT_REPORT, IMPORT_REPORT_V2 } from './export-addresses.ts';

/** `chancery.export` streams a list as a file, `chancery.import.report` the rows that an import could not store. */
export function registerExportRoutes(app: FastifyInstance, site: OpenSite): void {
  for (const address of [EXPORT, EXPORT_V2])
    addRoute(app, address, (request, reply) => sendExport(site, request, reply), {
      isAnsweredByReaders: () => true,
    });
  for (const address of [IMPORT_REPORT, IMPORT_REPORT_V2])
    addRoute(app, address, (request, reply) => sendReport(site, request, reply), {
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
  const day = formatTimestamp(site.clock.micros(), site.config.timeZone).slice(0, 10);
  return sendFile(reply, pieces, `${doctype} ${day}.${asked.format}`);
}

async function sendReport(
  site: OpenSite,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { name } = queryOf(request);
  if (typeof name !== 'string' || name === '') {
    throw new ServiceError('ValidationError', 'Parameter name is missing');
  }
  const ctx = readContext(site, request.user, provenanceOf(request));
  await readDocument(ctx, DATA_LOAD, name);
  const load = await readLoad(ctx.db, name);
  if (load.file === null || load.kind !== 'Import') {
    throw new ServiceError('ValidationError', `Data Load ${name} has no file here`);
  }
  const problems = await readProblems(ctx.db, name, { start: 0, limit: LIMITS.loadProblems, kind: 'error' });
  const file = await uploadedFile(ctx, site.storage, load.file);
  const rows = failedRows(file, storedPlan(load.options), problems);
  return sendFile(reply, rows, `${load.source.replace(/\.\w+$/, '')} (failed rows).csv`);
}

async function sendFile(
  reply: FastifyReply,
  pieces: AsyncGenerator<Uint8Array | string>,
  name: string,
): Promise<FastifyReply> {
  // The first piece, so that errors at the begin are replies.
  const first = await pieces.next();
  async function* all(): AsyncGenerator<Buffer> {
    if (!first.done) yield Buffer.from(first.value as Uint8Array);
    for await (const piece of pieces) yield Buffer.from(piece as Uint8Array);
  }
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
