import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from '../../access/authenticate.ts';
import { isCsrfToken } from '../../access/session.ts';
import { type CurrentUser, GUEST } from '../../access/user.ts';
import type { Site } from '../../document/contract.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { notPermitted } from '../../operation/operation.ts';
import { requireRouteInScope } from './route-scope.ts';
import { sidOf } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller. Set before any route's own hooks run. */
    user: CurrentUser;
  }
}

/**
 * Identifies the caller: by the Authorization header when there is one, else by the session of the `sid`
 * cookie, else as Guest. Runs before the body is read, so that nobody uploads a body only to be refused.
 */
export function registerIdentify(
  app: FastifyInstance,
  site: Pick<Site, 'settings'> & { readonly authenticator: Authenticator },
): void {
  const { authenticator } = site;
  app.decorateRequest('user');
  app.addHook('onRequest', (request, _reply, done) => {
    const { authorization } = request.headers;
    if (request.declared?.access === 'client') {
      request.user = GUEST;
      done();
      return;
    }
    if (authorization !== undefined) {
      if (namesOtherKeys(request)) return done(otherKeys());
      const accept = (user: CurrentUser) => {
        request.user = user;
        requireRouteInScope(request);
      };
      const cached = authenticator.cachedUser(authorization, request.ip);
      if (cached) {
        // Fastify answers with an error that is thrown here.
        accept(cached);
        done();
        return;
      }
      authenticator
        .fromHeader(authorization, request.ip)
        .then(accept)
        .then(
          () => done(),
          (error: Error) => done(afterFine(request, error)),
        );
      return;
    }
    request.user = GUEST;
    const sid = sidOf(request);
    if (sid === null) {
      done();
      return;
    }
    authenticator.fromSession(sid).then((session) => {
      if (session === null) return done();
      const foreign = isCrossSite(request, site.settings.allowedOrigins, session.csrfToken);
      if (foreign && !isSafe(request)) return done(crossSite());
      if (!foreign) request.user = session.user;
      done();
    }, done);
  });
}

// Wrong credentials cost the address more quota than a request.
function afterFine(request: FastifyRequest, error: Error): Error {
  if (!(error instanceof ServiceError) || error.type !== 'AuthenticationError') return error;
  try {
    request.fine();
    return error;
  } catch (exceeded) {
    return exceeded as Error;
  }
}

/**
 * Checks again, for a reply that lasts, whether the request's credentials still name the same user, whose
 * rights may have changed. Resolves to null once they do not.
 */
export function askAgain(
  request: FastifyRequest,
  authenticator: Authenticator,
): () => Promise<CurrentUser | null> {
  const { authorization } = request.headers;
  const { name } = request.user;
  const sid = sidOf(request) ?? '';
  return async () => {
    const user =
      authorization === undefined
        ? (await authenticator.fromSession(sid))?.user
        : await authenticator.fromHeader(authorization, request.ip).catch(refusedIsNobody);
    return user && user.name === name ? user : null;
  };
}

// Frappe looks such a key up in any doctype with an api_key, an api_secret and a user. Here keys belong to
// users only. A request for another kind of key must not run as the user who happens to have the same key.
function namesOtherKeys({ headers }: FastifyRequest): boolean {
  const source = headers['frappe-authorization-source'];
  return source !== undefined && source !== '' && source !== 'User';
}

function otherKeys(): ServiceError {
  return new ServiceError(
    'AuthenticationError',
    'Frappe-Authorization-Source is not supported: keys belong to users',
  );
}

function refusedIsNobody(error: unknown): null {
  if (error instanceof ServiceError && error.type === 'AuthenticationError') return null;
  throw error;
}

/** Refuses Guest: the `onRequest` hook of routes whose access is `user`. */
export function requireUser(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
  done(request.user.isGuest ? notPermitted() : undefined);
}

// Other sites' pages can make requests that carry a cookie. Two signs tell such requests apart: a header that
// only scripts of this origin can know, and the browser's own statement that the request comes from here.
// Clients that are not browsers send neither, and no page can trick them. A reading request shows its origin
// only where a script may see the answer: with `allowCors` set to `*` every page may ask, but only a named
// origin may ask as the signed-in user.
function isCrossSite(request: FastifyRequest, trusted: ReadonlySet<string>, csrfToken: string): boolean {
  const { headers } = request;
  const { origin } = headers;
  if (isSafe(request) && (origin === undefined || !trusted.has('*'))) return false;
  const token = headers['x-frappe-csrf-token'];
  if (typeof token === 'string' && token !== '' && isCsrfToken(token, csrfToken)) return false;
  return isFromElsewhere(request, trusted);
}

function isFromElsewhere({ headers, host }: FastifyRequest, trusted: ReadonlySet<string>): boolean {
  const { origin } = headers;
  if (origin !== undefined && trusted.has(origin)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && hostOf(origin) !== host;
}

/**
 * Refuses requests that a page of another site makes a browser send, on routes that change the browser's
 * state without a session: signing in and out. Otherwise such a page could sign a browser in as a user of its
 * choice, and collect the data that the person then enters.
 * @throws ServiceError CSRFTokenError
 */
export function requireOwnPage(request: FastifyRequest, trusted: ReadonlySet<string>): void {
  if (!isFromElsewhere(request, trusted)) return;
  throw new ServiceError('CSRFTokenError', 'Invalid Request', {
    messages: ['This request comes from a page of another site'],
  });
}

function isSafe({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

function hostOf(origin: string): string | null {
  return URL.parse(origin)?.host ?? null;
}

function crossSite(): ServiceError {
  return new ServiceError('CSRFTokenError', 'Invalid Request', {
    messages: ['This request comes from another site and carries no valid X-Frappe-CSRF-Token'],
  });
}
