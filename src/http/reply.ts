import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ListText } from '../document/list/list-stream.ts';
import { jsonText } from '../kernel/json-text.ts';
import type { Notice } from '../operation/operation.ts';
import { JsonText } from '../operation/result.ts';
import { parametersByName } from './arguments.ts';
import { JSON_TYPE } from './wire/headers.ts';

/** Sends JSON text as the reply. */
export function sendJson(reply: FastifyReply, text: string | Buffer): FastifyReply {
  return reply.header('content-type', JSON_TYPE).send(text);
}

/** The key of a method's result: `message` in the first version, `data` in the second. */
export type Envelope = 'message' | 'data';

/**
 * Sends a JSON text with a list in it, between `before` and `after`. A failure between the pieces closes the
 * connection.
 */
export function sendList(reply: FastifyReply, before: string, list: ListText, after: string): FastifyReply {
  if (typeof list === 'string') return sendJson(reply, before + list + after);
  // As bytes: text that waits for its client would be in memory a second time as bytes.
  async function* body(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
    yield Buffer.from(before);
    for await (const piece of pieces) yield Buffer.from(piece);
    yield Buffer.from(after);
  }
  return reply.header('content-type', JSON_TYPE).send(Readable.from(body(list), { objectMode: false }));
}

/**
 * `{"message": value}`, with `more` beside it; null and undefined leave `message` out, as clients expect.
 * @throws TooLarge
 */
export function messageBody(
  value: unknown,
  more?: Readonly<Record<string, unknown>>,
  envelope: Envelope = 'message',
): string {
  if (value instanceof JsonText) return `{"${envelope}":${value.text}}`;
  return jsonText({ [envelope]: value ?? undefined, ...more });
}

/** Messages beside a result, in the form of each version. */
export function noticesIn(envelope: Envelope, notices: readonly Notice[]): Readonly<Record<string, unknown>> {
  if (notices.length === 0) return {};
  const messages = notices.map(({ message, ...rest }) => ({ message, title: 'Message', ...rest }));
  if (envelope === 'data') return { messages };
  return { _server_messages: JSON.stringify(messages.map((message) => JSON.stringify(message))) };
}

/** Names parameters without effect in `X-Ignored-Parameters`, to reveal typing errors. */
export function nameIgnored(request: FastifyRequest, reply: FastifyReply, known: ReadonlySet<string>): void {
  let ignored: string[] | null = null;
  const given = parametersByName(request);
  for (const name in given) {
    // Clients send unused parameters as empty text.
    if (known.has(name) || given[name] === '') continue;
    ignored ??= [];
    // Enough to find the mistake; keeps the header short.
    if (ignored.length < 20) ignored.push(encodeURIComponent(name).slice(0, 100));
  }
  if (ignored) reply.header('x-ignored-parameters', ignored.join(', '));
}
