import type { FastifyInstance, FastifyRequest, onRequestHookHandler, RouteHandlerMethod } from 'fastify';
import { type Access, type AddressOf, type Verb, type WorkKind, workOf } from './address/address.ts';
import { requireUser } from './caller/identify.ts';
import { methodNotAllowed } from './wire/verbs.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required on every route, like `access`. */
    work?: WorkKind;
    /** Required on every route; `guardRoutes` refuses to start without it. */
    access?: Access;
    /** The method that the scope of a limited key must include; `*` when the request names it. */
    calls?: string | null;
    /**
     * True for a request that changes nothing, so that each worker answers it where one writes for all. Default: the
     * writer answers it.
     */
    isAnsweredByReaders?: (request: FastifyRequest) => boolean;
    /** Answers only 405 or OPTIONS, because the path does not offer the verb. */
    refuses?: boolean;
  }
}

const VERBS: readonly Verb[] = ['HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** A registered route, for the test that walks all routes. */
export interface RegisteredRoute {
  readonly method: string;
  readonly path: string;
  readonly access: Access;
  readonly work: WorkKind;
  /** False for a verb that is answered with 405, and for OPTIONS. */
  readonly offered: boolean;
}

/**
 * Makes start-up fail on a route without a declared requirement, and enforces `user`. Returns a list that
 * grows with each registered route.
 */
export function guardRoutes(app: FastifyInstance): readonly RegisteredRoute[] {
  const routes: RegisteredRoute[] = [];
  app.addHook('onRoute', (route) => {
    const { access, work } = route.config ?? {};
    if (!access) throw new Error(`route ${route.method} ${route.url} does not declare config.access`);
    if (!work) throw new Error(`route ${route.method} ${route.url} does not declare config.work`);
    if (access === 'user') route.onRequest = [requireUser, ...[route.onRequest ?? []].flat()];
    const offered = route.config?.refuses !== true;
    for (const method of [route.method].flat())
      routes.push({ method, path: route.url, access, work, offered });
  });
  return routes;
}

interface RouteOptions {
  readonly isAnsweredByReaders?: (request: FastifyRequest) => boolean;
  /** Runs before the body is read. */
  readonly onRequest?: onRequestHookHandler;
  /** Further headers of the answer to OPTIONS. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** True when another address of the same path serves the other verbs. */
  readonly sharesPath?: true;
}

/**
 * Registers an address with a handler for each verb, or one for all. HEAD follows GET, OPTIONS answers 204
 * with `Allow`, and every other verb 405 with `Allow`.
 */
export function addRoute<V extends Verb>(
  app: FastifyInstance,
  address: AddressOf<V>,
  handlers: RouteHandlerMethod | Readonly<Record<V, RouteHandlerMethod>>,
  { onRequest, isAnsweredByReaders, headers, sharesPath }: RouteOptions = {},
): void {
  const { path: url, access, calls, confidential, verbs } = address;
  const byVerb = new Map(typeof handlers === 'function' ? [] : Object.entries<RouteHandlerMethod>(handlers));
  const offered = VERBS.filter((verb) => verbs[verb]);
  for (const verb of offered) {
    const handler = typeof handlers === 'function' ? handlers : byVerb.get(verb);
    const work = workOf(address, verb);
    const config = { access, calls, confidential, work, ...(isAnsweredByReaders && { isAnsweredByReaders }) };
    if (handler) app.route({ method: verb, url, config, handler, ...(onRequest && { onRequest }) });
  }
  if (sharesPath) return;
  const heads = offered.includes('GET') ? ['HEAD'] : [];
  const allow = [...offered, ...heads, 'OPTIONS'].join(', ');
  const config = { access: 'guest', calls, work: 'none', refuses: true } as const;
  app.route({
    method: 'OPTIONS',
    url,
    config,
    handler: (_request, reply) =>
      reply
        .code(204)
        .headers({ allow, ...headers?.() })
        .send(),
  });
  const refused = VERBS.filter((verb) => !offered.includes(verb) && !heads.includes(verb));
  if (refused.length === 0) return;
  app.route({
    method: refused,
    url,
    config,
    exposeHeadRoute: false,
    // Refused before any body is read.
    onRequest: (request, _reply, done) => done(methodNotAllowed(request.method, allow)),
    handler: () => undefined,
  });
}
