import { type ApiError, connectionError, errorOf } from './api-error.ts';
import { positions } from './position.ts';
import { currentCsrfToken, sessionLost } from './session.ts';

export type Query = Readonly<Record<string, unknown>>;

export interface Request {
  readonly query?: Query;
  /** Sent as JSON, except for FormData. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** For sign-in requests: a 401 does not open the sign-in dialog. */
  readonly isSignIn?: boolean;
  /** The request outlives the page. */
  readonly keepalive?: boolean;
}

export interface Reply {
  readonly body: unknown;
  /** The document's version, for `If-Match`. */
  readonly etag: string | null;
}

/**
 * Sends a request as the signed-in user. If the session has ended, waits for a new sign-in and sends the
 * request again, so no work is lost.
 * @throws ApiError
 */
export async function send(verb: string, path: string, request: Request = {}): Promise<Reply> {
  const reply = await fetchOnce(verb, path, request);
  if (reply instanceof Response) return answer(reply);
  if (request.isSignIn || !(await isSessionGone(reply.error)) || !(await sessionLost())) throw reply.error;
  const again = await fetchOnce(verb, path, request);
  if (again instanceof Response) return answer(again);
  throw again.error;
}

/** A path with a query. Lists and objects become JSON; undefined values are left out. */
export function addressOf(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    search.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

async function fetchOnce(
  verb: string,
  path: string,
  request: Request,
): Promise<Response | { error: ApiError }> {
  const isForm = request.body instanceof FormData;
  const hasBody = request.body !== undefined;
  const { headers, answered } = positions.begin(verb);
  try {
    const response = await fetch(addressOf(path, request.query), {
      method: verb,
      credentials: 'same-origin',
      signal: request.signal ?? null,
      keepalive: request.keepalive ?? false,
      headers: {
        accept: 'application/json',
        ...(hasBody && !isForm ? { 'content-type': 'application/json' } : {}),
        ...(verb === 'GET' ? {} : { 'x-frappe-csrf-token': currentCsrfToken() }),
        ...headers,
        ...request.headers,
      },
      ...(hasBody ? { body: isForm ? (request.body as FormData) : JSON.stringify(request.body) } : {}),
    });
    const { status } = response;
    const header = (name: string) => response.headers.get(name);
    answered({ status, header });
    return response.ok ? response : { error: errorOf(status, await response.text(), header) };
  } catch (cause) {
    answered(null);
    if (request.signal?.aborted) throw cause;
    return { error: connectionError(cause) };
  }
}

async function answer(response: Response): Promise<Reply> {
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  const text = await response.text();
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : text;
  return { body, etag: response.headers.get('etag') };
}

// Without a session the caller is a guest, who gets 403 where an invalid key gets 401. A request for the
// current user tells the two apart.
async function isSessionGone(error: ApiError): Promise<boolean> {
  if (error.status === 401) return true;
  if (error.status !== 403 && error.type !== 'CSRFTokenError') return false;
  const response = await fetch('/api/method/frappe.auth.get_logged_user').catch(() => null);
  return response !== null && (response.status === 401 || response.status === 403);
}
