import fc from 'fast-check';
import { attack } from './attacks.ts';
import { hostileText, junk, mostly, textOf } from './values.ts';
import type { World } from './world.ts';

/** A request as it goes out. */
export interface FuzzRequest {
  /** The path of the route table that it is meant for. */
  readonly route: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** What a route's generator decides; who asks, and with which headers, is decided for all alike. */
export interface Plan {
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  /** The method to send; else one that the route offers. */
  readonly method?: string;
  readonly payload?: unknown;
  /** Headers without which the route does nothing. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is instead of the payload. */
  readonly raw?: { readonly type: string; readonly bytes: Buffer };
}

/** A segment of a path: escaped as clients do, now and then not at all. */
export const escaping: fc.Arbitrary<(text: string) => string> = fc.integer({ min: 0, max: 59 }).map((how) => {
  return (text: string) => {
    const escaped = encodeURIComponent(text.toWellFormed());
    if (how === 0) return printable(text);
    if (how === 1) return escaped.replaceAll('%2F', '/');
    if (how === 2) return escaped.replaceAll('%20', '+');
    return escaped;
  };
});

function printable(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '').replaceAll(/[?#]/g, '');
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).map(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(text.toWellFormed())}`;
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

interface Encoded {
  readonly type: string | null;
  readonly bytes: Buffer | null;
}

/** How a payload goes out: usually as JSON, also as a form, inside `data`, broken, or as another type than it is. */
const encoding: fc.Arbitrary<(payload: unknown) => Encoded> = fc
  .tuple(fc.integer({ min: 0, max: 99 }), fc.nat(), hostileText)
  .map(([how, at, noise]) => (payload: unknown) => {
    const text = JSON.stringify(payload) ?? '';
    const json = Buffer.from(text);
    if (how < 72) return { type: 'application/json', bytes: json };
    if (how < 80) return { type: FORM, bytes: Buffer.from(formText(payload)) };
    if (how < 84) return { type: FORM, bytes: Buffer.from(queryText({ data: payload }).slice(1)) };
    if (how < 87) return { type: 'application/json', bytes: Buffer.from(JSON.stringify({ data: payload })) };
    const cut = json.subarray(0, at % (json.length + 1));
    switch (how) {
      case 87:
        return { type: 'application/json', bytes: cut };
      case 88:
        return { type: 'application/json', bytes: Buffer.concat([cut, Buffer.from([0xff]), json]) };
      case 89:
        return { type: 'application/json', bytes: Buffer.from(noise) };
      case 90:
        return { type: FORM, bytes: Buffer.from(noise) };
      case 91:
        return { type: 'text/plain', bytes: json };
      case 92:
        return { type: null, bytes: json };
      case 93:
        return { type: 'multipart/form-data; boundary=x', bytes: json };
      case 94:
        return { type: 'application/json; charset=utf-16', bytes: json };
      case 95:
        return { type: 'application/vnd.api+json', bytes: json };
      case 96:
        return { type: 'application/json', bytes: Buffer.from(`{"name":"A","name":"B",${text.slice(1)}`) };
      case 97:
        return { type: noise.replaceAll(/[^\x20-\x7e]/g, ''), bytes: json };
      case 98:
        return { type: 'application/json', bytes: Buffer.from(`[${text}]`) };
      default:
        return { type: 'application/json', bytes: null };
    }
  });

const FORM = 'application/x-www-form-urlencoded';

function formText(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null) return textOf(payload);
  return queryText({ ...payload }).slice(1);
}

const safe = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '').trim();

/** Headers that change what a request means. */
function headers(world: World): fc.Arbitrary<Record<string, string>> {
  const etag = mostly(
    fc.oneof(
      fc.nat().map((pick) => world.oneOf(world.etags, pick)),
      fc.constantFrom('*', 'W/"1"', '"1", "2"', '"99999999999999999999"'),
    ),
    hostileText,
  ).map(textOf);
  const range = mostly(
    fc.constantFrom('bytes=0-0', 'bytes=-1', 'bytes=5-2', 'bytes=0-,1-', 'bytes=99999999999999999999-', 'x'),
    hostileText,
  ).map(textOf);
  const one = fc.oneof(
    etag.map((value) => ({ 'if-match': value })),
    etag.map((value) => ({ 'if-none-match': value })),
    fc.nat({ max: 40 }).map((number) => ({ 'idempotency-key': `key-${number}` })),
    hostileText.map((value) => ({ 'idempotency-key': value })),
    range.map((value) => ({ range: value })),
    fc.tuple(range, etag).map(([value, tag]) => ({ range: value, 'if-range': tag })),
    hostileText.map((value) => ({ 'if-modified-since': value })),
    hostileText.map((value) => ({ 'x-request-id': value })),
    hostileText.map((value) => ({ 'x-frappe-csrf-token': value })),
    hostileText.map((value) => ({ cookie: `sid=${value.replaceAll(';', '')}` })),
    hostileText.map((value) => ({ accept: value })),
    hostileText.map((value) => ({ origin: value })),
    hostileText.map((value) => ({ 'x-forwarded-for': value, 'x-forwarded-proto': 'https' })),
    fc.constant({ 'accept-encoding': 'gzip' }),
    fc.constant({ 'content-encoding': 'gzip' }),
    hostileText.map((value) => ({ 'x-frappe-doctype': value, 'x-frappe-site-name': value })),
    fc.constant({ 'x-http-method-override': 'DELETE' }),
  );
  return fc
    .tuple(one, fc.integer({ min: 0, max: 9 }))
    .map(
      ([some, chance]): Record<string, string> =>
        chance < 2
          ? Object.fromEntries(Object.entries(some).map(([name, value]) => [name, safe(textOf(value))]))
          : {},
    );
}

function authorization(world: World): fc.Arbitrary<string | null> {
  const [admin = null, staff = null] = world.users;
  return fc.oneof(
    { weight: 24, arbitrary: fc.constant(admin) },
    { weight: 9, arbitrary: fc.constant(staff) },
    { weight: 2, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('token bad:key', 'token x', 'Bearer x', 'Basic Og==', 'Basic %%%'),
    },
    { weight: 1, arbitrary: hostileText.map((text) => `token ${safe(text)}`) },
  );
}

/** The request that a plan of a route becomes. */
export function requestOf(
  world: World,
  route: string,
  offered: readonly string[],
  plan: fc.Arbitrary<Plan>,
): fc.Arbitrary<FuzzRequest> {
  const odd = fc.oneof(
    { weight: 40, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS') },
  );
  const verbs = fc.tuple(odd, fc.constantFrom(...offered));
  return fc
    .tuple(
      plan,
      verbs,
      authorization(world),
      headers(world),
      encoding,
      mostly(fc.constant(null), junk),
      attack,
    )
    .map(([usual, [odd, any], as, more, encode, noise, attacked]) => {
      const { path, query = {}, method: wanted, payload, raw, headers: own = {} } = attacked(usual);
      const asked = odd ?? wanted ?? any;
      const address =
        path +
        queryText({ ...query, ...(noise === null ? {} : { [`x${textOf(noise).slice(0, 5)}`]: noise }) });
      // What is too long to be read is refused before its verb is known, with a body.
      const method = asked === 'HEAD' && address.length > 8_000 ? 'GET' : asked;
      const bodyless = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
      const encoded = raw ?? (bodyless || payload === undefined ? NOTHING : encode(payload));
      return {
        route,
        method,
        path: address,
        headers: {
          ...own,
          ...(as === null ? {} : { authorization: as }),
          ...(encoded.type === null ? {} : { 'content-type': encoded.type }),
          ...more,
        },
        body: encoded.bytes,
      };
    });
}

const NOTHING: Encoded = { type: null, bytes: null };

/** A request in words, with what there is to say of it. */
export function shownRequest({ method, path, headers, body }: FuzzRequest, what: string): string {
  const sent = body === null ? '' : `\n  ${body.toString('utf8', 0, 6_000).slice(0, 1_500)}`;
  return `${method} ${path.slice(0, 1_500)} ${JSON.stringify(headers).slice(0, 1_500)}${sent}\n  ${what}`;
}
