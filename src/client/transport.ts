import { connectionError, errorOf } from './errors.ts';
import { Positions } from './positions.ts';

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

/** A reply of any status. */
export interface RawReply {
  readonly status: number;
  readonly text: string;
  readonly header: (name: string) => string | null;
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
  /** Others changed something: the next reads must show it. */
  noteNews(): void;
  /**
   * Sends a request with `call` and the headers given to it. Rejects with a ChanceryError, or with the signal's
   * reason when it aborts.
   */
  exchange(
    method: string,
    signal: AbortSignal | undefined,
    call: (headers: Readonly<Record<string, string>>) => Promise<RawReply>,
  ): Promise<WireReply>;
  /** Rejects with a ChanceryError, or with the signal's reason when it aborts. */
  send(request: WireRequest): Promise<WireReply>;
}

const TIMEOUT = 60_000;

export function createTransport(options: ClientOptions): Transport {
  const base = options.url.replace(/(?<!\/)\/+$/, '');
  const call = options.fetch ?? globalThis.fetch;
  // Without a key, the browser's cookie has the newest position.
  const positions = new Positions(options.token !== undefined);

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

  async function exchange(...[method, signal, call]: Parameters<Transport['exchange']>): Promise<WireReply> {
    const { headers, answered } = positions.begin(method);
    let reply: RawReply | null = null;
    try {
      reply = await call({ ...credentials(), ...headers });
    } catch (cause) {
      signal?.throwIfAborted();
      throw connectionError(cause);
    } finally {
      answered(reply);
    }
    return parseReply(reply);
  }

  function send(request: WireRequest): Promise<WireReply> {
    const { method, json, signal, idempotencyKey, because } = request;
    const timeout = AbortSignal.timeout(options.timeout ?? TIMEOUT);
    return exchange(method, signal, async (headers) => {
      const response = await call(address(request.path, request.query), {
        method,
        headers: {
          ...headers,
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
      return rawReply(response);
    });
  }

  return { options, address, credentials, noteNews: () => positions.noteNews(), exchange, send };
}

/** Reads a response. */
export async function rawReply(response: Response): Promise<RawReply> {
  const { status, headers } = response;
  return { status, text: await response.text(), header: (name) => headers.get(name) };
}

/** @throws ChanceryError for a refusal, and for a body that is not JSON */
function parseReply({ status, text, header }: RawReply): WireReply {
  if (status < 200 || status > 299) throw errorOf(status, text, header);
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return { body: body as Record<string, unknown>, header };
  } catch {
    // The answer came from something other than this server.
  }
  throw errorOf(status, '', header);
}
