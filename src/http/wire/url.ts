import { Buffer } from 'node:buffer';
import { ServiceError } from '../../kernel/errors.ts';

/** Parameters of a query string or form: one value per key, no prototype. */
export type Parameters = Record<string, string>;

// Shared by every request without a query, so it is frozen.
const NONE: Parameters = Object.freeze(Object.create(null));

/**
 * The address by which a route is found. `/api/v1/…` becomes `/api/…`. A trailing slash under `/api` is
 * dropped. A `%` that begins no escape in a document's address stands for itself. The host of an
 * absolute-form address is dropped. Everything else, double slashes included, is kept.
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

// n8n puts names into the path unescaped: `50% off` arrives as `50%%20off`.
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
 * True for an unambiguous request target: a path, an HTTP address with a host, or, for OPTIONS only, `*`, the
 * whole server.
 */
export function isRequestTarget(raw: string, method: string): boolean {
  if (raw === '*') return method === 'OPTIONS';
  return raw.startsWith('/') || HOST_OF_ADDRESS.test(raw);
}

/**
 * Parses `a=1&b=2` as clients expect: `+` is a space, malformed percent signs stay, and `_` (a cache buster)
 * is dropped. Never throws: `contradictionIn` reports a key with several values.
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

/** A key that arrived with several values, by the parameters that hold its first value. */
const contradictions = new WeakMap<Parameters, string>();

/** The refusal of parameters with several values for one key: the server cannot know which one is meant. */
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

// Decodes one run of escapes when it is UTF-8; otherwise leaves it as the client wrote it.
function decodeRun(run: string): string {
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? run : text;
}
