import { Buffer } from 'node:buffer';
import { ServiceError } from '../kernel/errors.ts';

/** Parameters of a query string or form: one value of each key, no prototype. */
export type Parameters = Record<string, string>;

// Shared by every request without a query, so nobody may write to one.
const NONE: Parameters = Object.freeze(Object.create(null));

/**
 * The address a route is looked up by: `/api/v1/…` is `/api/…`, a trailing slash under `/api` does not count, a `%` in
 * the address of a document that begins no escape is itself, and the host of an absolute-form address is ignored.
 * Everything else, double slashes included, is kept.
 */
export function canonicalUrl(raw: string | undefined): string {
  let url = raw ?? '/';
  if (url.charCodeAt(0) !== 47) url = fromAbsoluteForm(url);
  if (!url.startsWith('/api/')) return url;
  if (url.startsWith('/api/v1/')) url = `/api${url.slice(7)}`;
  const query = url.indexOf('?');
  const path = query === -1 ? url.length : query;
  let end = path;
  while (url.charCodeAt(end - 1) === 47) end -= 1;
  const canonical = end === path ? url : url.slice(0, end) + url.slice(path);
  return canonical.includes('%') && /^\/api\/(?:resource|v2\/document)\//.test(canonical)
    ? escapePercents(canonical, end)
    : canonical;
}

// n8n writes names into the path as they are: `50% off` arrives as `50%%20off`.
function escapePercents(url: string, end: number): string {
  const path = url.slice(0, end);
  const escaped = path.replace(/%(?![0-9a-f]{2})/gi, '%25');
  return escaped === path ? url : escaped + url.slice(end);
}

const HOST_OF_ADDRESS = /^https?:\/\/(?:[^/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^/?#@:[\]]+)(?::\d{0,5})?(?=[/?]|$)/i;

// The path may be missing: `http://host?a=1`.
function fromAbsoluteForm(url: string): string {
  const host = HOST_OF_ADDRESS.exec(url)?.[0];
  const rest = host === undefined ? '' : url.slice(host.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * True for the target of a request that means one thing: a path, an address of HTTP with a host, or, for OPTIONS alone,
 * `*`, the server as a whole.
 */
export function isRequestTarget(raw: string, method: string): boolean {
  if (raw === '*') return method === 'OPTIONS';
  return raw.startsWith('/') || HOST_OF_ADDRESS.test(raw);
}

/**
 * Parses `a=1&b=2` the way clients need: `+` is a space, malformed percent signs stay as they are, and `_` (a cache
 * buster) is dropped. Never throws: `contradictionIn` tells of a key with several values.
 */
export function parseParameters(text: string): Parameters {
  if (text === '') return NONE;
  const parameters: Parameters = Object.create(null);
  let start = 0;
  while (start <= text.length) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start) {
      const pair = text.slice(start, end);
      const equals = pair.indexOf('=');
      const key = decode(equals === -1 ? pair : pair.slice(0, equals));
      const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
      const first = parameters[key];
      if (first !== undefined && first !== value) contradictions.set(parameters, key);
      else if (key !== '_') parameters[key] = value;
    }
    start = end + 1;
  }
  return parameters;
}

/** A key that came with several values, by the parameters that have the first of them. */
const contradictions = new WeakMap<Parameters, string>();

/** The refusal of parameters of which one came with several values: whichever counted, somebody meant the other. */
export function contradictionIn(parameters: Parameters): ServiceError | null {
  const key = contradictions.get(parameters);
  return key === undefined ? null : contradiction(key);
}

/** The refusal of a key with several values, where one is expected. */
export function contradiction(key: string): ServiceError {
  const shown = key.length > 100 ? `${key.slice(0, 100)}…` : key;
  return new ServiceError(
    'BadRequestError',
    `Parameter ${shown} is sent more than once, with different values`,
  );
}

function decode(raw: string): string {
  const text = raw.includes('+') ? raw.replaceAll('+', ' ') : raw;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/(?:%[0-9a-f]{2})+/gi, decodeRun);
  }
}

// One run of escapes: decoded when it is UTF-8, otherwise left as the client wrote it.
function decodeRun(run: string): string {
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? run : text;
}
