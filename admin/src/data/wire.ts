import { type ApiError, connectionError, errorOf } from './api-error.ts';
import { currentCsrfToken, sessionLost } from './session.ts';

export type Query = Readonly<Record<string, unknown>>;

export interface Request {
  readonly query?: Query;
  /** Sent as JSON; a FormData as it is. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** For signing in: a refusal is an answer, and no reason to ask for a password. */
  readonly isSignIn?: boolean;
}

export interface Reply {
  readonly body: unknown;
  /** The document's version, to be sent back as `If-Match`. */
  readonly etag: string | null;
}

/**
 * One request to the server, as whoever is signed in. When the session is gone it waits until somebody signed
 * in again, and is sent again: nothing that was on the way is lost.
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

/** The address of a path with a query: lists and objects travel as JSON, and what is undefined stays away. */
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
  try {
    const response = await fetch(addressOf(path, request.query), {
      method: verb,
      credentials: 'same-origin',
      signal: request.signal ?? null,
      headers: {
        accept: 'application/json',
        ...(hasBody && !isForm ? { 'content-type': 'application/json' } : {}),
        ...(verb === 'GET' ? {} : { 'x-frappe-csrf-token': currentCsrfToken() }),
        ...request.headers,
      },
      ...(hasBody ? { body: isForm ? (request.body as FormData) : JSON.stringify(request.body) } : {}),
    });
    if (response.ok) return response;
    return { error: errorOf(response.status, await response.text(), (name) => response.headers.get(name)) };
  } catch (cause) {
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

// Without a session one is a guest, who gets 403 where a stranger's key would get 401: who am I tells the two
// apart.
async function isSessionGone(error: ApiError): Promise<boolean> {
  if (error.status === 401) return true;
  if (error.status !== 403 && error.type !== 'CSRFTokenError') return false;
  const response = await fetch('/api/method/frappe.auth.get_logged_user').catch(() => null);
  return response !== null && (response.status === 401 || response.status === 403);
}
