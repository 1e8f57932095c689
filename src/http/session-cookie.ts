import type { FastifyReply, FastifyRequest } from 'fastify';

/** Seconds a browser keeps the cookies; the server's own limits decide. */
const COOKIE_AGE = 30 * 24 * 60 * 60;

/** What a browser keeps of a session. Values are encoded. */
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

/** The session that a request's cookies name; null without one. */
export function sidOf(request: FastifyRequest): string | null {
  const { cookie } = request.headers;
  const sid = cookie === undefined ? null : readCookie(cookie, cookieName(request));
  return sid === null || sid === '' || sid === 'Guest' ? null : sid;
}

/** The session that a request acts by, which survives when the others end; null for requests with a key. */
export function keptSession(request: FastifyRequest): string | null {
  return request.headers.authorization === undefined ? sidOf(request) : null;
}

// A browser lets only this host, by https, set a cookie of such a name: no page of a sibling host can plant a session. Other
// clients look for `sid` by name, and know nothing of prefixes. Browsers say that they are one, and no page can take it back.
function cookieName(request: FastifyRequest): 'sid' | '__Host-sid' {
  const isBrowser = request.headers['sec-fetch-site'] !== undefined;
  return isBrowser && request.protocol === 'https' ? '__Host-sid' : 'sid';
}

/** Sets the cookies of a session. Clients pick them by position, so the order is part of the wire; scripts see all but the first. */
export function setSessionCookies(request: FastifyRequest, reply: FastifyReply, values: CookieValues): void {
  setCookies(request, reply, values, COOKIE_AGE);
}

/** Takes them back. */
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

/** Value of a cookie, as sent; null when it is not there. */
export function readCookie(header: string, name: string): string | null {
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals !== -1 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return null;
}
