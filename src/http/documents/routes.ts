import type { FastifyInstance } from 'fastify';
import type { OpenSite } from '../../site/start/open-site.ts';
import { answering } from '../call.ts';
import { addRoute, methodNotAllowed } from '../route-table.ts';
import type { RestVerb } from './address-row.ts';
import { findAddress, verbsOn } from './addresses.ts';
import { DESCRIBED_DOCUMENT_ROUTES } from './described-addresses.ts';

/** Documents as resources, in both versions of the interface: the table in `addresses.ts`. */
export function registerDocumentRoutes(app: FastifyInstance, site: OpenSite): void {
  for (const route of DESCRIBED_DOCUMENT_ROUTES) {
    const { version, target } = route;
    // The route accepts the verb; the address decides whether its part offers it.
    const handler = answering(site, (request, call) => {
      const asked = target(request);
      const verb = (request.method === 'HEAD' ? 'GET' : request.method) as RestVerb;
      const address = findAddress(version, asked.part, verb);
      if (!address) {
        const offered = verbsOn(version, asked.part);
        const heads = offered.includes('GET') ? ['HEAD'] : [];
        throw methodNotAllowed(verb, [...offered, ...heads, 'OPTIONS'].join(', '));
      }
      return address.ask(asked, request, call);
    });
    addRoute<never>(app, route, handler);
  }
}
