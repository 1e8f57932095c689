import type { FastifyReply, FastifyRequest } from 'fastify';

/** Seconds that a browser keeps the cookies; the server's own limits end the session. */
const COOKIE_AGE = 30 * 24 * 60 * 60;

/** The values of a session's cookies. They are encoded. */
export interface CookieValues {
  readonly sid: string;
  readonly system_user: string;
  readonly full_name: string;
  readonly user_id: string;
  readonly user_image: string;
  readonly user_lang: string;
}

const SIGNED_OUT: CookieValues = {
  sid: '',
  system_user: 'no',
  full_name: 'Guest',
  user_id: 'Guest',
  user_image: '',
  user_lang: '',
};

/** The session id in a request's cookies; null without one. */
export function sidOf(request: FastifyRequest): string | null {
  const { cookie } = request.headers;
  const sid = cookie === undefined ? null : parseCookie(cookie, cookieName(request));
  return sid === null || sid === '' || sid === 'Guest' ? null : sid;
}

/** The session of the request, which survives when the user's others end; null for a request with a key. */
export function keptSession(request: FastifyRequest): string | null {
  return request.headers.authorization === undefined ? sidOf(request) : null;
}

// A browser lets only this host set a cookie of such a name, and only over https: no page of a sibling host
// can plant a session. Other clients look for `sid` by name and do not know prefixes. Browsers identify
// themselves by a header that no page can remove.
function cookieName(request: FastifyRequest): 'sid' | '__Host-sid' {
  const isBrowser = request.headers['sec-fetch-site'] !== undefined;
  return isBrowser && request.protocol === 'https' ? '__Host-sid' : 'sid';
}

/**
 * Sets the cookies of a session. Clients pick them by position, so their order is part of the wire. Scripts
 * can read all but the first.
 */
export function setSessionCookies(request: FastifyRequest, reply: FastifyReply, values: CookieValues): void {
  setCookies(request, reply, values, COOKIE_AGE);
}

/** Clears them. */
export function clearSessionCookies(request: FastifyRequest, reply: FastifyReply): void {
  setCookies(request, reply, SIGNED_OUT, 0);
}

function setCookies(request: FastifyRequest, reply: FastifyReply, values: CookieValues, age: number): void {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  const rest = ['system_user', 'full_name', 'user_id', 'user_image', 'user_lang'] as const;
  const shared = `; Path=/; Max-Age=${age}; SameSite=Lax`;
  const cookies = [
    `${cookieName(request)}=${encodeURIComponent(values.sid)}${shared}; HttpOnly${secure}`,
    ...rest.map((name) => `${name}=${encodeURIComponent(values[name])}${shared}${secure}`),
  ];
  reply.header('set-cookie', cookies);
}

/** The value of a cookie, as sent; null without it. */
export function parseCookie(header: string, name: string): string | null {
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals !== -1 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return null;
}
