import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { requireWritingScope } from '../../access/key-scope.ts';
import { readContext } from '../../document/context.ts';
import { requireSomeWrite } from '../../operation/records.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { answering } from '../call.ts';
import { addRoute } from '../route-table.ts';
import { methodNotAllowed } from '../wire/verbs.ts';
import type { RestVerb } from './address-row.ts';
import { findAddress, verbsOn } from './addresses.ts';
import { DESCRIBED_DOCUMENT_ROUTES } from './described-addresses.ts';
import { registerExportRoutes } from './export-routes.ts';

/** Documents as resources, in both versions of the interface: the table in `addresses.ts`. And lists as files. */
export function registerDocumentRoutes(app: FastifyInstance, site: OpenSite): void {
  for (const route of DESCRIBED_DOCUMENT_ROUTES) {
    const { version, parse } = route;
    // The route accepts the verb; the address decides whether its part offers it.
    const handler = answering(site, (request, call) => {
      const asked = parse(request);
      const verb = (request.method === 'HEAD' ? 'GET' : request.method) as RestVerb;
      const address = findAddress(version, asked.part, verb);
      if (!address) {
        const offered = verbsOn(version, asked.part);
        const heads = offered.includes('GET') ? ['HEAD'] : [];
        throw methodNotAllowed(verb, [...offered, ...heads, 'OPTIONS'].join(', '));
      }
      return address.ask(asked, request, call);
    });
    // Refuses a write that no document could allow before its body is read. The stored answer to an
    // Idempotency-Key needs no right to write.
    const onRequest: onRequestHookHandler = (request, _reply, done) => {
      const { method, user, headers } = request;
      if (method !== 'GET' && method !== 'HEAD' && headers['idempotency-key'] === undefined) {
        const { part, doctypeName } = parse(request);
        const writes = findAddress(version, part, method as RestVerb)?.operation.writes;
        if (writes) {
          requireWritingScope(user);
          requireSomeWrite(readContext(site, user), doctypeName, writes);
        }
      }
      done();
    };
    // By GET, no address of documents changes anything.
    const isAnsweredByReaders = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD';
    addRoute<never>(app, route, handler, { onRequest, isAnsweredByReaders });
  }
  registerExportRoutes(app, site);
}
