import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from '../access/authenticate.ts';
import { isCsrfToken } from '../access/session.ts';
import { type CurrentUser, GUEST } from '../access/user.ts';
import type { Site } from '../document/context.ts';
import { ServiceError } from '../kernel/errors.ts';
import { requireRouteInScope } from './route-scope.ts';
import { sidOf } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls. Set before any route's own hooks run. */
    user: CurrentUser;
  }
}

/**
 * Decides who calls: the Authorization header when there is one, else the session of the `sid` cookie, else Guest.
 * Runs before the body is read, so that nobody uploads into a refusal.
 */
export function registerIdentify(
  app: FastifyInstance,
  site: Pick<Site, 'settings'> & { readonly authenticator: Authenticator },
): void {
  const { authenticator } = site;
  app.decorateRequest('user');
  app.addHook('onRequest', (request, _reply, done) => {
    const { authorization } = request.headers;
    if (request.routeOptions.config?.access === 'client') {
      request.user = GUEST;
      done();
      return;
    }
    if (authorization !== undefined) {
      if (namesOtherKeys(request)) return done(otherKeys());
      authenticator
        .fromHeader(authorization, request.ip)
        .then((user) => {
          request.user = user;
          requireRouteInScope(request);
        })
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

// Wrong credentials cost the address more than a request.
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
 * For a reply that lasts: asks again and again whether the request's credentials still name the same user, whose rights
 * may have changed. Resolves to null once they do not.
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

// Frappe looks such a key up in any doctype that has an api_key, an api_secret and a user. Here keys are of users: a request
// that means another one must not pass for the user whose key happens to be the same.
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
  done(request.user.isGuest ? notSignedIn() : undefined);
}

export function notSignedIn(): ServiceError {
  return new ServiceError('PermissionError', 'You are not permitted to access this resource', {
    title: 'Not permitted',
  });
}

// A cookie travels with requests that other sites' pages make; a header that only scripts of this origin can know, or
// the browser's own word that the request comes from here, tells them apart. Clients that are not browsers send none
// of these headers and cannot be tricked by a page. A reading request tells its origin only where a script may see the
// answer: `allowCors` of `*` lets every page ask, and none that is not named ask as whoever is signed in.
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
 * Refuses what a page of another site makes a browser send, where no session is needed for an effect on the browser: signing
 * in and out. Else such a page could sign a browser in as somebody of its choice, whose records the user would then fill.
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
