import { connectionError, errorOf } from './errors.ts';

/** The server's address and the caller's credentials. */
export interface ClientOptions {
  /** `https://erp.example.com`; in a browser '' means the page's own server. */
  readonly url: string;
  /** `<api_key>:<api_secret>`. Without it, requests use the browser's session, or none. */
  readonly token?: string;
  /** The CSRF token of a signed-in browser session, for requests from other origins. */
  readonly csrfToken?: string;
  /** Timeout of a request in milliseconds; default 60,000. Uploads have none. */
  readonly timeout?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Options of any request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** The server runs a creation or call with this key once, however often it is sent. */
  readonly idempotencyKey?: string;
  /**
   * The webhook event that causes this request, from `verify`. It lets the server end a loop of deliveries
   * and changes.
   */
  readonly because?: { readonly chainHeader: string };
}

/** A request as the transport sends it. */
export interface WireRequest extends RequestOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From `/api/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A successful reply. */
export interface WireReply {
  readonly body: Readonly<Record<string, unknown>>;
  readonly header: (name: string) => string | null;
}

/** Sends requests. */
export interface Transport {
  readonly options: ClientOptions;
  address(path: string, query?: Readonly<Record<string, string>>): string;
  /** Headers that identify the caller. */
  credentials(): Record<string, string>;
  /** Rejects with a ChanceryError, or with the signal's reason when it aborts. */
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
        // The key identifies the caller; the cookie of another user must not be sent.
        credentials: options.token === undefined ? 'include' : 'omit',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
      text = await response.text();
    } catch (cause) {
      signal?.throwIfAborted();
      throw connectionError(cause);
    }
    return parseReply(response.status, text, (name) => response.headers.get(name));
  }

  return { options, address, credentials, send };
}

/** A parsed reply. @throws ChanceryError for a refusal, and for a body that is not JSON */
export function parseReply(status: number, text: string, header: (name: string) => string | null): WireReply {
  if (status < 200 || status > 299) throw errorOf(status, text, header);
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return { body: body as Record<string, unknown>, header };
  } catch {
    // The answer came from something other than this server.
  }
  throw errorOf(status, '', header);
}
