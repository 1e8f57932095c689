import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readContext } from '../../document/context.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { printDocument } from '../../print/print-document.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { queryOf } from '../arguments.ts';
import { addRoute } from '../route-table.ts';
import { PRINT_VIEW } from './addresses.ts';
import { PRINT_POLICY, printPage } from './page.ts';

/** `/printview`: a document as a page for paper, at Frappe's address. */
export function registerPrintRoutes(app: FastifyInstance, site: OpenSite): void {
  const print = async (request: FastifyRequest, reply: FastifyReply) => {
    const page = await printDocument(readContext(site, request.user), printRequest(request));
    reply.header('content-security-policy', PRINT_POLICY).header('x-frame-options', 'SAMEORIGIN');
    reply.header('cache-control', 'private, no-store');
    return reply.header('content-type', 'text/html; charset=utf-8').send(printPage(page));
  };
  addRoute(app, PRINT_VIEW, print, { isAnsweredByReaders: () => true });
}

function printRequest(request: FastifyRequest) {
  const query = queryOf(request);
  const text = (name: string) => {
    const value = query[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const doctype = text('doctype');
  if (doctype === undefined) throw new ServiceError('ValidationError', 'Parameter doctype is missing');
  return {
    doctype,
    name: text('name') ?? doctype,
    format: text('format'),
    letterhead: text('letterhead'),
    withoutLetterhead: text('no_letterhead') === '1',
    language: text('_lang'),
  };
}
