import type { FastifyInstance } from 'fastify';
import type { OpenSite } from '../../site/start/open-site.ts';
import { answering } from '../call.ts';
import { addRoute, methodNotAllowed } from '../route-table.ts';
import { findAddress, type RestVerb, verbsOn } from './addresses.ts';
import { DOCUMENT_ROUTES, type DocumentRoute } from './document-target.ts';

/** Documents as resources, in both versions of the interface: the table in `addresses.ts`. */
export function registerDocumentRoutes(app: FastifyInstance, site: OpenSite): void {
  for (const route of DOCUMENT_ROUTES) {
    const verbs = new Set(route.parts.flatMap((part) => verbsOn(route.version, part)));
    const handlers = [...verbs].map((verb) => [verb, handler(site, route, verb)]);
    addRoute(app, route.path, 'permission', route.work, Object.fromEntries(handlers));
  }
}

// The route accepts the verb; the address decides whether its part offers it.
function handler(site: OpenSite, { version, target }: DocumentRoute, verb: RestVerb) {
  return answering(site, (request, call) => {
    const asked = target(request);
    const address = findAddress(version, asked.part, verb);
    if (!address) {
      const offered = verbsOn(version, asked.part);
      const heads = offered.includes('GET') ? ['HEAD'] : [];
      throw methodNotAllowed(verb, [...offered, ...heads, 'OPTIONS'].join(', '));
    }
    return address.ask(asked, request, call);
  });
}
