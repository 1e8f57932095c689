import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorPlace, type ErrorType, ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Observer } from '../kernel/observation.ts';
import { discardRest } from './discard-rest.ts';
import { JSON_TYPE, startReply } from './headers.ts';

/**
 * Answers every failure of the application with the one envelope, and observes what nobody foresaw. `explain` may know
 * more of an error that is none of ours.
 */
export function registerErrorReplies(
  app: FastifyInstance,
  observe: Observer,
  explain: (error: unknown) => Promise<unknown> = async (error) => error,
): void {
  app.setErrorHandler(async (error, request, reply) => {
    const explained = asServiceError(error) ? error : await explain(error);
    sendError(observe, explained, request, reply);
    return reply;
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    sendError(observe, new ServiceError('DoesNotExistError', `${path} not found`), request, reply);
  });
}

/** Failures that Fastify meets before any route is chosen: malformed or overlong addresses. */
export function answerFrameworkError(
  observe: Observer,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  startReply(request, reply);
  sendError(observe, error, request, reply);
}

function sendError(observe: Observer, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = asServiceError(error);
  if (!known) observe({ kind: 'unexpected', where: 'http', error, requestId: request.id });
  const headers = known?.details.headers;
  if (headers) reply.headers(headers);
  if (known?.status === 408) reply.header('connection', 'close');
  if (known?.status === 413) {
    // Fastify closes the connection after a body it did not read to its end; this one is.
    reply.removeHeader('connection');
    discardRest(request.raw);
  }
  reply
    .code(known?.status ?? 500)
    .header('content-type', JSON_TYPE)
    .send(isSecondVersion(request.url) ? errorBodyV2(known) : errorBody(known));
}

/** Fastify's own refusals in our vocabulary; null for a bug. */
function asServiceError(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code !== 'string' || !code.startsWith('FST_')) return null;
  const [type, message] = FASTIFY_ERRORS[code] ?? [];
  return type && message ? new ServiceError(type, message) : null;
}

const FASTIFY_ERRORS: Readonly<Record<string, readonly [ErrorType, string]>> = {
  FST_ERR_BAD_URL: ['BadRequestError', 'The address is not valid'],
  FST_ERR_MAX_PARAM_LENGTH: ['UriTooLongError', 'A part of the address is too long'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['RequestTooLargeError', 'The body is too large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'UnsupportedMediaTypeError',
    'Send application/json or application/x-www-form-urlencoded',
  ],
  FST_ERR_CTP_EMPTY_TYPE: ['UnsupportedMediaTypeError', 'A body needs a Content-Type'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['BadRequestError', 'The body is not as long as Content-Length says'],
};

/**
 * The error body of Frappe's wire, as JSON text. `exc` holds one line, never a stack: clients only look whether it is
 * there. A null error is one that nobody foresaw, and says nothing about itself.
 */
export function errorBody(error: ServiceError | null): string {
  const type = error?.type ?? 'InternalServerError';
  const message = shortened(
    error?.message ?? 'The server failed to answer; the request id is in the X-Request-Id header',
  );
  const exception = `frappe.exceptions.${type}: ${message}`;
  const messages = error?.details.messages ?? [message];
  const title = error?.details.title ?? 'Message';
  return JSON.stringify({
    exception,
    exc_type: type,
    exc: JSON.stringify([exception]),
    _server_messages: JSON.stringify(
      messages.map((text, index) =>
        JSON.stringify({
          message: shortened(text),
          title,
          indicator: 'red',
          raise_exception: 1,
          ...error?.details.places?.[index],
        }),
      ),
    ),
  });
}

// A refusal may repeat what was sent, and stands in the body several times, with escapes of escapes.
function shortened(message: string): string {
  return message.length > LIMITS.errorLength ? `${message.slice(0, LIMITS.errorLength)}…` : message;
}

function isSecondVersion(url: string): boolean {
  return /^\/api\/v2(?:[/?]|$)/.test(url);
}

/** The same in the second version of the interface: `{"errors": [{type, message, title, indicator, exception, …place}]}`. */
export function errorBodyV2(error: ServiceError | null): string {
  const { exc_type: type, exception, _server_messages: texts } = JSON.parse(errorBody(error));
  const messages: ({ message: string; title: string } & Partial<ErrorPlace>)[] = JSON.parse(texts).map(
    (text: string) => JSON.parse(text),
  );
  return JSON.stringify({
    errors: messages.map(({ message, title, fieldname, table, row }) => ({
      type,
      message,
      title,
      indicator: 'red',
      exception,
      // Left out of the text where there are none.
      fieldname,
      table,
      row,
    })),
  });
}
