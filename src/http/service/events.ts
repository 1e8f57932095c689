import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseToken, renderToken } from '../../feed/position.ts';
import { type FeedMessage, openStream, requireReadable } from '../../feed/stream.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { parseJsonText } from '../../kernel/parse-json.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { queryOf } from '../arguments.ts';
import { askAgain } from '../caller/identify.ts';
import { nameIgnored } from '../reply.ts';
import { addRoute } from '../route-table.ts';
import { EVENTS } from './addresses.ts';

/** Milliseconds before a browser reconnects. */
const RETRY = 2_000;

const PARAMETERS: ReadonlySet<string> = new Set(['doctype', 'name', 'views', 'last_event_id']);

/** `/api/events`: changes of documents as server-sent events. They end when the server begins to stop. */
export function registerEventRoutes(app: FastifyInstance, site: OpenSite): void {
  const open = new OpenStreams();
  app.draining.addEventListener('abort', () => open.end());
  addRoute(app, EVENTS, async (request, reply) => {
    const { doctypes, names } = subscription(request);
    requireReadable(site, request.user, doctypes);
    nameIgnored(request, reply, PARAMETERS);
    reply.header('content-type', 'text/event-stream; charset=utf-8');
    // A proxy must not buffer, compress or cache the stream.
    reply.header('cache-control', 'no-store, no-transform').header('x-accel-buffering', 'no');
    // The connection gets no further request, and a closing server would wait for one.
    reply.header('connection', 'close');
    if (request.method === 'HEAD') return reply.send();
    const stream = open.begin(request.user.name, reply);
    // After a refusal a browser would not reconnect; after the end of a stream it does.
    if (app.draining.aborted) stream.end();
    try {
      const messages = await openStream(site, site.feed, {
        doctypes,
        names,
        views: queryOf(request)['views'] === '1',
        from: leftOff(request, site),
        who: askAgain(request, site.authenticator),
        signal: stream.signal,
      });
      const text = render(site, messages, stream);
      return reply.send(Readable.from(text, { objectMode: false, highWaterMark: 1 }));
    } catch (error) {
      stream.end();
      throw error;
    }
  });
}

interface Subscription {
  readonly doctypes: ReadonlySet<string>;
  readonly names: ReadonlySet<string> | null;
}

function subscription(request: FastifyRequest): Subscription {
  // Other routes accept one value per key; here every value counts.
  const query = new URLSearchParams(request.originalUrl.split('?').slice(1).join('?'));
  const doctypes = listed(query, 'doctype', LIMITS.eventDoctypes);
  const names = listed(query, 'name', LIMITS.eventNames);
  if (doctypes.size === 0) throw new ServiceError('ValidationError', 'Argument doctype is required');
  if (names.size > 0 && doctypes.size > 1) {
    throw new ServiceError('ValidationError', 'Argument name goes with one doctype');
  }
  return { doctypes, names: names.size === 0 ? null : names };
}

function listed(query: URLSearchParams, key: string, most: number): ReadonlySet<string> {
  const values = query.getAll(key).flatMap((text) => {
    if (!text.startsWith('[')) return [text];
    const list = parseJsonText(text);
    if (Array.isArray(list) && list.every((one) => typeof one === 'string')) return list as string[];
    throw new ServiceError('ValidationError', `Argument ${key} must be a text or a list of texts`);
  });
  const set = new Set(values.filter((value) => value !== '').map((value) => value.normalize('NFC')));
  if (set.size <= most) return set;
  throw new ServiceError('ValidationError', `A stream has at most ${most} values of ${key}`);
}

// The header is newer: a reconnecting browser sends it to the original address.
function leftOff(request: FastifyRequest, site: OpenSite) {
  const header = request.headers['last-event-id'];
  const token = (typeof header === 'string' && header) || queryOf(request)['last_event_id'];
  if (token === undefined || token === '') return null;
  return parseToken(token, site.secretKey) ?? undefined;
}

async function* render(
  site: OpenSite,
  messages: AsyncGenerator<FeedMessage, void, undefined>,
  stream: Stream,
): AsyncGenerator<string, void, undefined> {
  try {
    yield `retry: ${RETRY}\n\n`;
    for await (const { event, at, data } of messages) {
      const id = renderToken(at, site.secretKey);
      stream.busySince = performance.now();
      // Browsers do not dispatch an event without data, but keep its id.
      yield data === null
        ? `: ${event}\nid: ${id}\n\n`
        : `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
      stream.busySince = null;
    }
  } catch (error) {
    // The client resumes at its last event.
    const explained = await site.explain(error);
    if (!(explained instanceof ServiceError)) {
      site.observe({ kind: 'unexpected', where: 'a stream of events', error });
    }
  } finally {
    stream.end();
  }
}

interface Stream {
  readonly signal: AbortSignal;
  /** The time when the stream sent an event that the client has not taken yet; null without one. */
  busySince: number | null;
  end(): void;
}

/** The streams of this node. Limits their number, and ends each of them. */
class OpenStreams {
  readonly #ends = new Set<() => void>();
  readonly #byUser = new Map<string, number>();

  /** @throws ServiceError TooManyRequestsError, ServiceUnavailableError */
  begin(user: string, reply: FastifyReply): Stream {
    const mine = this.#byUser.get(user) ?? 0;
    const headers = { 'Retry-After': '30' };
    if (mine >= LIMITS.eventStreamsPerUser) {
      throw new ServiceError('TooManyRequestsError', 'Too many streams of events at once', { headers });
    }
    if (this.#ends.size >= LIMITS.eventStreams) {
      throw new ServiceError('ServiceUnavailableError', 'Too many streams of events', { headers });
    }
    this.#byUser.set(user, mine + 1);
    const abort = new AbortController();
    const age = setTimeout(() => stream.end(), LIMITS.eventStreamAge);
    const watch = setInterval(() => {
      const { busySince } = stream;
      if (busySince !== null && performance.now() - busySince > LIMITS.eventStall) reply.raw.destroy();
    }, LIMITS.eventCheck);
    const stream: Stream = {
      signal: abort.signal,
      busySince: null,
      end: () => {
        if (abort.signal.aborted) return;
        abort.abort();
        clearTimeout(age);
        clearInterval(watch);
        this.#ends.delete(stream.end);
        const left = (this.#byUser.get(user) ?? 1) - 1;
        if (left === 0) this.#byUser.delete(user);
        else this.#byUser.set(user, left);
      },
    };
    this.#ends.add(stream.end);
    reply.raw.once('close', stream.end);
    return stream;
  }

  end(): void {
    for (const end of [...this.#ends]) end();
  }
}
