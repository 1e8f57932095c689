import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../kernel/errors.ts';
import { requireUser } from './identify.ts';

/**
 * What a route requires of the caller: `guest` nothing; `user` to be signed in (checked before the body is read);
 * `permission` whatever the document verbs decide, which for a Guest is usually nothing at all; `client` the credentials
 * of an OAuth client, which the route checks itself: nobody is signed in there.
 */
export type Access = 'guest' | 'user' | 'permission' | 'client';

/**
 * What a route does, for counting and bounding it: `login` checks secrets; `method` says so itself when it knows its
 * arguments; `stream` lasts, and has bounds of its own; `none` costs nothing and always answers.
 */
export type Work = 'read' | 'list' | 'write' | 'upload' | 'login' | 'method' | 'stream' | 'none';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required on every route, as `access`. */
    work?: Work;
    /** Required on every route; `guardRoutes` refuses to start without it. */
    access?: Access;
    /** Answers 405 or OPTIONS alone: the path does not offer the verb. */
    refuses?: boolean;
  }
}

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
const VERBS: readonly Verb[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Verbs that some path here may offer. Node knows many more, and none of them means anything to us. */
export const VERBS_OF_HTTP: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A route as it was registered, for the test that walks them all. */
export interface RegisteredRoute {
  readonly method: string;
  readonly path: string;
  readonly access: Access;
  readonly work: Work;
  /** False where the verb is answered with 405, and for OPTIONS. */
  readonly offered: boolean;
}

/**
 * Makes start-up fail on a route that does not say what it requires, and makes `user` come true on those that say so.
 * Returns the list that routes are added to as they are registered.
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
 * Registers one path with a handler per verb. `work` is what GET does; where that is to read, the other verbs write. HEAD follows GET, OPTIONS answers 204 with `Allow`, and every other
 * verb answers 405 with `Allow`.
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

/** Answers OPTIONS and every verb that is not `offered` on a path whose own routes are registered elsewhere. */
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
