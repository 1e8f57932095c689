import { connectionError, errorOf } from './errors.ts';

/** Where the server is, and who calls. */
export interface ClientOptions {
  /** `https://erp.example.com`; in a browser '' is the page's own server. */
  readonly url: string;
  /** `<api_key>:<api_secret>`; without it the browser's session counts, or nobody. */
  readonly token?: string;
  /** Of a signed-in browser session, for requests from other origins. */
  readonly csrfToken?: string;
  /** Milliseconds until a request is given up; default 60,000. Uploads are not limited. */
  readonly timeout?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** What may be said with any request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** The server does a creation or call with this key once, however often it is sent. */
  readonly idempotencyKey?: string;
  /** The webhook that this is done for, as `verify` gave it: a loop of deliveries and changes ends. */
  readonly because?: { readonly chainHeader: string };
}

/** A request below the client's methods. */
export interface WireRequest extends RequestOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From `/api/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply that was no refusal. */
export interface WireReply {
  readonly body: Readonly<Record<string, unknown>>;
  readonly header: (name: string) => string | null;
}

/** Sends requests. */
export interface Transport {
  readonly options: ClientOptions;
  address(path: string, query?: Readonly<Record<string, string>>): string;
  /** Headers that say who calls. */
  credentials(): Record<string, string>;
  /** Rejects with a ChanceryError; with the signal's reason when that aborts. */
  send(request: WireRequest): Promise<WireReply>;
}

const TIMEOUT = 60_000;

export function createTransport(options: ClientOptions): Transport {
  const base = options.url.replace(/(?<!\/)\/+$/, '');
  const call = options.fetch ?? globalThis.fetch;

  function address(path: string, query: Readonly<Record<string, string>> = {}): string {
    const text = new URLSearchParams(query).toString();
    return `${base}${path}${text === '' ? '' : `?${text}`}`;
  }

  function credentials(): Record<string, string> {
    return {
      accept: 'application/json',
      ...(options.token === undefined ? {} : { authorization: `token ${options.token}` }),
      ...(options.csrfToken === undefined ? {} : { 'x-frappe-csrf-token': options.csrfToken }),
    };
  }

  async function send(request: WireRequest): Promise<WireReply> {
    const { json, signal, idempotencyKey, because } = request;
    const timeout = AbortSignal.timeout(options.timeout ?? TIMEOUT);
    let response: Response;
    let text: string;
    try {
      response = await call(address(request.path, request.query), {
        method: request.method,
        headers: {
          ...credentials(),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...(because === undefined ? {} : { 'webhook-chain': because.chainHeader }),
          ...request.headers,
        },
        // A key says who calls; the cookie of someone else must not.
        credentials: options.token === undefined ? 'include' : 'omit',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
      text = await response.text();
    } catch (cause) {
      signal?.throwIfAborted();
      throw connectionError(cause);
    }
    return readReply(response.status, text, (name) => response.headers.get(name));
  }

  return { options, address, credentials, send };
}

/** A reply understood. @throws ChanceryError for a refusal, and for what is no JSON */
export function readReply(status: number, text: string, header: (name: string) => string | null): WireReply {
  if (status < 200 || status > 299) throw errorOf(status, text, header);
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return { body: body as Record<string, unknown>, header };
  } catch {
    // Something else than this server answered.
  }
  throw errorOf(status, '', header);
}
