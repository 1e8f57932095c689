import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { queryOf } from './arguments.ts';
import { JSON_TYPE } from './headers.ts';

/** JSON text made by the database, passed on to the client without being parsed. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Sends JSON text as the reply. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.header('content-type', JSON_TYPE).send(text);
}

/** The key that holds what a method answered: `message` in the first version of the interface, `data` in the second. */
export type Envelope = 'message' | 'data';

/**
 * The same pieces, of which the first is read already: a list that fails at once is answered with an error, and not with
 * a reply that breaks off.
 */
export async function begun(pieces: AsyncIterable<string>): Promise<AsyncIterable<string>> {
  const rest = pieces[Symbol.asyncIterator]();
  const first = await rest.next();
  return (async function* () {
    try {
      for (let piece = first; !piece.done; piece = await rest.next()) yield piece.value;
    } finally {
      await rest.return?.();
    }
  })();
}

/** Streams `{"data": …}` whose value comes in pieces of JSON text; a failure on the way breaks the connection off. */
export function sendPieces(reply: FastifyReply, pieces: AsyncIterable<string>): FastifyReply {
  async function* body(): AsyncGenerator<string> {
    yield '{"data":';
    yield* pieces;
    yield '}';
  }
  return reply.header('content-type', JSON_TYPE).send(Readable.from(body(), { objectMode: false }));
}

/** `{"message": value}`, with `more` beside it; null and undefined leave `message` out, as clients expect. */
export function messageBody(
  value: unknown,
  more?: Readonly<Record<string, unknown>>,
  envelope: Envelope = 'message',
): string {
  if (value instanceof JsonText) return `{"${envelope}":${value.text}}`;
  return JSON.stringify({ [envelope]: value ?? undefined, ...more });
}

/** Names the query parameters that had no effect in `X-Ignored-Parameters`, so that a typing error can be found. */
export function nameIgnored(request: FastifyRequest, reply: FastifyReply, known: ReadonlySet<string>): void {
  let ignored: string[] | null = null;
  const query = queryOf(request);
  for (const name in query) {
    // Clients send what they do not use as empty text.
    if (known.has(name) || query[name] === '') continue;
    ignored ??= [];
    // Enough to find the mistake; the header stays short.
    if (ignored.length < 20) ignored.push(encodeURIComponent(name).slice(0, 100));
  }
  if (ignored) reply.header('x-ignored-parameters', ignored.join(', '));
}
