import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Observer } from '../../kernel/observation.ts';
import type { Metrics } from '../../observe/metrics.ts';
import { callerKey } from './rate-limit.ts';
import { takenBytes } from './taken-bytes.ts';
import { type Unsent, UnsentBytes } from './unsent-bytes.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Bytes of replies that clients have not read yet. */
    unsentBytes(): number;
  }
  interface FastifyRequest {
    /** @throws ServiceError ServiceUnavailableError when the caller leaves too much unread */
    requireReader(): void;
  }
}

/**
 * Milliseconds between two checks of the replies, and between two log entries about replies that were cut
 * off.
 */
const LOOK = 1_000;
const TELL = 60_000;

/** `Retry-After` for callers with unread replies; seconds. */
const RETRY_AFTER = '5';

/** Bytes of text from which a reply is encoded in advance. */
const ENCODED = 256 * 1024;

/** The server counts a shorter reply at the end of the turn, unless it is sent by then. */
const SHORT = 64 * 1024;

/** A reply, with the bytes of its body that are in memory. */
interface Sent {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly size: number;
}

interface Watched extends Unsent {
  readonly raw: ServerResponse;
  readonly socket: Socket;
  /** The source of the body; null when all of it is in memory. */
  readonly stream: Readable | null;
  /** The start of the current period, and the bytes that the connection had taken by then. */
  since: number;
  taken: number;
}

/**
 * Bounds the bytes that clients leave unread. A caller with too many unread bytes is refused requests that
 * only read. When the total is too high, the largest replies are cut off. So is a client that takes fewer
 * than `LIMITS.readerRate` bytes per second over a period of `idleTimeout` milliseconds. Bytes that the
 * system has taken to send count as read.
 */
export function registerSlowReaders(
  app: FastifyInstance,
  site: {
    readonly config: Pick<Config, 'admission'>;
    readonly observe: Observer;
    readonly metrics: Metrics;
  },
  idleTimeout: number,
): void {
  const { unsentPerCaller, unsent } = site.config.admission;
  const bytes = new UnsentBytes({ perCaller: unsentPerCaller, total: unsent });
  const watched = new Set<Watched>();
  const { cut, tell } = countCuts(site);

  app.decorate('unsentBytes', () => bytes.total);
  app.decorateRequest('requireReader', function requireReader(this: FastifyRequest) {
    if (!bytes.admits(callerKey(this), 1)) throw tooMuchUnread();
  });

  const end = (one: Watched) => {
    watched.delete(one);
    bytes.delete(one);
  };
  const watch = ({ request, reply, size }: Sent, stream: Readable | null = null) => {
    const caller = callerKey(request);
    const one = watchedReply(caller, request, reply, stream);
    watched.add(one);
    reply.raw.once('close', () => end(one));
    bytes.set(one, size);
    cut('budget', bytes.enforce(caller));
  };
  const watchRest = atEndOfTurn(watch);
  app.addHook('onSend', (request, reply, body: unknown, done) => {
    const size = sizeOf(body);
    const caller = callerKey(request);
    if (size === null || request.raw.socket.destroyed) return done(null, body);
    if (request.reads && size > 0 && reply.statusCode < 400 && !bytes.admits(caller, size)) {
      return done(tooMuchUnread());
    }
    const sent = { request, reply, size };
    if (size > 0 && size < SHORT) watchRest(sent);
    else watch(sent, body instanceof Readable ? body : null);
    // A large text would be in memory twice: as text and as the bytes in flight.
    done(null, typeof body === 'string' && size > ENCODED ? Buffer.from(body) : body);
  });

  const interval = Math.min(LOOK, idleTimeout / 4);
  let looked = performance.now();
  const looking = setInterval(() => {
    const now = performance.now();
    // While the server was blocked, no client could read.
    const stoodStill = now - looked > idleTimeout / 2;
    looked = now;
    for (const one of watched) {
      if (one.socket.destroyed) end(one);
      else if (isTooSlow(one, now, idleTimeout) && !stoodStill) {
        end(one);
        one.cut();
        cut('slow', 1);
      } else if (one.stream) {
        bytes.set(one, one.raw.writableLength + one.stream.readableLength);
        cut('budget', bytes.enforce(one.caller));
      }
    }
    tell(now);
  }, interval);
  // A server that fails to start is never closed.
  looking.unref();
  app.addHook('onClose', async () => clearInterval(looking));
}

/** Counts the replies that were cut off; `tell` logs them from time to time. */
function countCuts({ metrics, observe }: { readonly metrics: Metrics; readonly observe: Observer }) {
  let untold = 0;
  let told = Number.NEGATIVE_INFINITY;
  return {
    cut(reason: 'slow' | 'budget', count: number): void {
      if (count === 0) return;
      metrics.repliesCut(reason, count);
      untold += count;
    },
    tell(now: number): void {
      if (untold === 0 || now - told < TELL) return;
      observe({
        kind: 'warning',
        message: `Cut off ${untold} replies that clients did not read fast enough`,
      });
      told = now;
      untold = 0;
    },
  };
}

/** Calls `watch` at the end of the turn, for each reply that is not sent by then. */
function atEndOfTurn(watch: (sent: Sent) => void): (sent: Sent) => void {
  let sending: Sent[] = [];
  const endTurn = () => {
    const replies = sending;
    sending = [];
    for (const sent of replies) {
      if (!sent.reply.raw.closed && !sent.request.raw.socket.destroyed) watch(sent);
    }
  };
  return (sent) => {
    if (sending.length === 0) setImmediate(endTurn);
    sending.push(sent);
  };
}

/** Bytes in memory: 0 for a new stream, null without a body. */
function sizeOf(body: unknown): number | null {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return Buffer.byteLength(body);
  return body instanceof Readable ? 0 : null;
}

function watchedReply(
  caller: string,
  { raw: { socket } }: FastifyRequest,
  { raw }: FastifyReply,
  stream: Readable | null,
): Watched {
  return {
    caller,
    cut: () => socket.destroy(),
    raw,
    socket,
    stream,
    since: performance.now(),
    taken: takenBytes(socket),
  };
}

/** Checks whether the client took enough; begins the next period at the end of the current one. */
function isTooSlow(one: Watched, now: number, idleTimeout: number): boolean {
  const { raw, socket, since } = one;
  // A reply that waits for the server, or behind another reply, does not wait for its client.
  const isWaiting = raw.socket === null || raw.writableLength === 0;
  if (!isWaiting && now - since < idleTimeout) return false;
  const before = one.taken;
  one.since = now;
  one.taken = takenBytes(socket);
  return !isWaiting && one.taken - before < (LIMITS.readerRate * idleTimeout) / 1000;
}

function tooMuchUnread(): ServiceError {
  return new ServiceError(
    'ServiceUnavailableError',
    'Too many replies to you are unread; read them, then try again',
    {
      headers: { 'retry-after': RETRY_AFTER },
    },
  );
}
