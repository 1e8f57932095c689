import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorPlace, type ErrorType, ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Observer, RequestFacts } from '../../kernel/observation.ts';
import { JSON_TYPE, startReply } from './headers.ts';

/** The page of a failure; null if the client wants data. */
type ErrorPage = (
  request: FastifyRequest,
  error: ShownError,
) => { readonly headers: Readonly<Record<string, string>>; readonly text: string } | null;

/** What a page tells about a failure. */
export interface ShownError {
  readonly status: number;
  /** Null for an unexpected error. */
  readonly message: string | null;
}

/**
 * Answers every failure of the application with the documented envelope, or with a page, and observes unexpected
 * errors. `explain` may translate an error that is not a ServiceError.
 */
export function registerErrorReplies(
  app: FastifyInstance,
  observe: Observer,
  explain: (error: unknown) => Promise<unknown> = async (error) => error,
  page: ErrorPage = () => null,
): void {
  app.setErrorHandler(async (error, request, reply) => {
    const explained = asServiceError(error) ? error : await explain(error);
    sendError(observe, explained, request, reply, page);
    return reply;
  });
  // Before a body is read: nothing here accepts one.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.is404) done(notFound(request));
    else done(null, payload);
  });
  app.setNotFoundHandler((request, reply) => sendError(observe, notFound(request), request, reply, page));
}

function notFound({ url }: FastifyRequest): ServiceError {
  return new ServiceError('DoesNotExistError', `${url.split('?', 1)[0] ?? ''} not found`);
}

/** Failures before Fastify chooses a route: malformed or overlong addresses. */
export function answerFrameworkError(
  observe: Observer,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  startReply(request, reply);
  sendError(observe, error, request, reply);
}

function sendError(
  observe: Observer,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  page: ErrorPage = () => null,
): void {
  const known = asServiceError(error);
  if (!known && !isHangUp(error, reply)) {
    observe({ kind: 'unexpected', where: 'http', error, requestId: request.id, request: factsOf(request) });
  } else if (known && known.status >= 500) {
    observe({
      kind: 'request_refused',
      requestId: request.id,
      request: factsOf(request),
      status: known.status,
      message: shortened(known.message),
    });
  }
  const headers = known?.details.headers;
  if (headers) reply.headers(headers);
  if (known?.status === 408 || known?.status === 413) reply.header('connection', 'close');
  const status = known?.status ?? 500;
  const shown = page(request, { status, message: known && shortened(known.message) });
  reply.code(status).headers(shown?.headers ?? { 'content-type': JSON_TYPE });
  reply.send(shown?.text ?? (isSecondVersion(request.url) ? errorBodyV2(known) : errorBody(known)));
}

function factsOf({ method, url, user }: FastifyRequest): RequestFacts {
  return { method, path: url.split('?', 1)[0] ?? '', user: user?.name ?? '' };
}

// Fastify closes the body of a reply whose client has gone before the first byte, and reports that as an error.
function isHangUp(error: unknown, { raw }: FastifyReply): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' && raw.destroyed;
}

/** Translates Fastify's own refusals into ServiceErrors; null for a bug. */
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
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'BadRequestError',
    'The length of the body differs from Content-Length',
  ],
};

/** An error as both versions of the interface report it. */
interface ToldError {
  readonly type: string;
  readonly message: string;
  readonly exception: string;
  readonly title: string;
  readonly messages: readonly { readonly message: string; readonly place: ErrorPlace | null }[];
}

/** The public part of an error. A null error was unexpected, and reveals nothing about itself. */
function toldError(error: ServiceError | null): ToldError {
  const type = error?.type ?? 'InternalServerError';
  const message = shortened(
    error?.message ?? 'The server failed to answer; the request id is in the X-Request-Id header',
  );
  const { messages = [message], title = 'Message', places } = error?.details ?? {};
  return {
    type,
    message,
    exception: `frappe.exceptions.${type}: ${message}`,
    title,
    messages: messages.map((text, index) => ({ message: shortened(text), place: places?.[index] ?? null })),
  };
}

/**
 * The error body of Frappe's wire, as JSON text. `exc` holds one line, never a stack: clients only check that
 * it is present.
 */
export function errorBody(error: ServiceError | null): string {
  const { type, message: text, exception, title, messages } = toldError(error);
  return JSON.stringify({
    ...(error?.details.isSignIn && { message: text }),
    exception,
    exc_type: type,
    exc: JSON.stringify([exception]),
    _server_messages: JSON.stringify(
      messages.map(({ message, place }) =>
        JSON.stringify({ message, title, indicator: 'red', raise_exception: 1, ...place }),
      ),
    ),
    ...(type === 'PermissionError' && { _error_message: text }),
  });
}

/**
 * The error body of the second version: `{"errors": [{type, message, title, indicator, exception, …place}]}`.
 */
export function errorBodyV2(error: ServiceError | null): string {
  const { type, exception, title, messages } = toldError(error);
  return JSON.stringify({
    errors: messages.map(({ message, place }) => ({
      type,
      message,
      title,
      indicator: 'red',
      exception,
      ...place,
    })),
  });
}

// A message may repeat the client's input, and the body contains it several times, with nested escapes.
function shortened(message: string): string {
  return message.length > LIMITS.errorLength ? `${message.slice(0, LIMITS.errorLength)}…` : message;
}

function isSecondVersion(url: string): boolean {
  return /^\/api\/v2(?:[/?]|$)/.test(url);
}
