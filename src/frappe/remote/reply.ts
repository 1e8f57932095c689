import { LIMITS } from '../../kernel/limits.ts';
import type { SiteResponse } from '../../net/site-connection.ts';
import { RemoteError, type RemoteFailure } from './remote-error.ts';

/** Statuses after which the same request may succeed: too busy, restarting, or in an upgrade. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

export function isTransient(status: number): boolean {
  return TRANSIENT.has(status);
}

/** The milliseconds of `Retry-After`, up to the limit; 0 without one. */
export function retryAfter(headers: ReadonlyMap<string, string>, now: number): number {
  const text = headers.get('retry-after') ?? '';
  const millis = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(millis) ? Math.min(Math.max(0, millis), LIMITS.remoteRetryAfter) : 0;
}

/**
 * The JSON of a successful response. @throws RemoteError for any other response, with the site's own words;
 * SyntaxError for a body that ends too soon
 */
export async function readReply(origin: string, what: string, response: SiteResponse): Promise<unknown> {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    response.discard();
    const target = headers.get('location') ?? '';
    const other = URL.canParse(target, origin) ? new URL(target, origin).origin : origin;
    throw new RemoteError(
      'stranger',
      other === origin
        ? `${origin} redirects ${what} instead of answering it`
        : `${origin} redirects to ${other}: use that address`,
    );
  }
  const bytes = await readBody(origin, what, response);
  const isJson = /^application\/json\b/i.test(headers.get('content-type') ?? '');
  if (status === 200 && isJson) return JSON.parse(bytes.toString('utf8')) as unknown;
  const failure = isJson ? failureOf(status) : 'stranger';
  const words = isJson ? wordsOf(bytes.toString('utf8')) : 'the response is not JSON';
  throw new RemoteError(failure, `${origin} refused ${what}: ${status}${words === '' ? '' : `, ${words}`}`);
}

/** A body within the limit. @throws RemoteError `large` */
async function readBody(origin: string, what: string, { body }: SiteResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the body.
    if (size > LIMITS.remoteReplyBytes) {
      throw new RemoteError(
        'large',
        `The response of ${origin} to ${what} exceeds ${LIMITS.remoteReplyBytes} bytes`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function failureOf(status: number): RemoteFailure {
  if (status === 401) return 'credentials';
  if (status === 403) return 'denied';
  return status === 404 ? 'missing' : 'refused';
}

/**
 * The reason in the body of an error: the messages for people, else the exception. `exc` has a traceback, which
 * nobody needs here.
 */
function wordsOf(text: string): string {
  let body: Readonly<Record<string, unknown>>;
  try {
    body = Object(JSON.parse(text));
  } catch {
    return '';
  }
  const messages = parsedList(body['_server_messages']).map((item) =>
    String(Object(parsed(item)).message ?? ''),
  );
  const said = messages.find((message) => message !== '') ?? body['exception'] ?? body['exc_type'] ?? '';
  return plain(String(said)).slice(0, MOST_WORDS);
}

const MOST_WORDS = 300;

function parsedList(value: unknown): unknown[] {
  const list = parsed(value);
  return Array.isArray(list) ? list : [];
}

function parsed(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    return null;
  }
}

function plain(message: string): string {
  return message
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
