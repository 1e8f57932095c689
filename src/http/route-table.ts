import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../kernel/errors.ts';
import { requireUser } from './caller/identify.ts';

/**
 * The requirement of a route. `guest`: none. `user`: a signed-in user, checked before the body is read.
 * `permission`: the document verbs decide, and they refuse a Guest almost everything. `client`: the
 * credentials of an OAuth client, which the route checks itself; no user is signed in there.
 */
export type Access = 'guest' | 'user' | 'permission' | 'client';

/**
 * The kind of work of a route, for rate limits and admission. `login` checks secrets. `method` sets its kind
 * once it knows its arguments. `stream` lasts, and has limits of its own. `none` is free and always answers.
 */
export type Work = 'read' | 'list' | 'write' | 'upload' | 'login' | 'method' | 'stream' | 'none';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required on every route, like `access`. */
    work?: Work;
    /** Required on every route; `guardRoutes` refuses to start without it. */
    access?: Access;
    /** Answers only 405 or OPTIONS, because the path does not offer the verb. */
    refuses?: boolean;
  }
}

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
const VERBS: readonly Verb[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Verbs that some path may offer. Node knows many more; the server uses none of them. */
export const VERBS_OF_HTTP: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A registered route, for the test that walks all routes. */
export interface RegisteredRoute {
  readonly method: string;
  readonly path: string;
  readonly access: Access;
  readonly work: Work;
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

/**
 * Registers one path with a handler per verb. `work` is the kind of GET; where that is `read`, the other
 * verbs are `write`. HEAD follows GET, OPTIONS answers 204 with `Allow`, and every other verb 405 with
 * `Allow`.
 */
export function addRoute(
  app: FastifyInstance,
  path: string,
  access: Access,
  work: Work,
  handlers: Partial<Record<Verb, RouteHandlerMethod>>,
): void {
  const offered = VERBS.filter((verb) => handlers[verb] !== undefined);
  for (const verb of offered) {
    const handler = handlers[verb];
    const writes = verb !== 'GET' && (work === 'read' || work === 'list');
    const config = { access, work: writes ? 'write' : work } as const;
    if (handler) app.route({ method: verb, url: path, config, handler });
  }
  refuseOtherVerbs(app, path, offered);
}

/** Answers OPTIONS and every verb outside `offered` on a path whose routes are registered elsewhere. */
export function refuseOtherVerbs(app: FastifyInstance, path: string, offered: readonly string[]): void {
  const allow = [...offered, ...(offered.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  app.route({
    method: 'OPTIONS',
    url: path,
    config: { access: 'guest', work: 'none', refuses: true },
    handler: (_request, reply) => {
      reply.code(204).header('allow', allow).send();
    },
  });
  const refused: string[] = VERBS.filter((verb) => !offered.includes(verb));
  if (!offered.includes('GET')) refused.push('HEAD');
  if (refused.length === 0) return;
  app.route({
    method: refused,
    url: path,
    config: { access: 'guest', work: 'none', refuses: true },
    exposeHeadRoute: false,
    // Refused before any body is read.
    onRequest: (request, _reply, done) => done(methodNotAllowed(request.method, allow)),
    handler: () => undefined,
  });
}

/** 405 with the `Allow` header that RFC 9110 requires. */
export function methodNotAllowed(method: string, allow: string): ServiceError {
  return new ServiceError(
    'MethodNotAllowedError',
    `Method ${method} is not allowed here; allowed: ${allow}`,
    {
      headers: { Allow: allow },
    },
  );
}
