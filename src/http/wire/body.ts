import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { parseJson } from '../../kernel/parse-json.ts';
import { askForBody } from './expect-continue.ts';
import { bodyTooLarge, requireBodyWithin } from './unread-body.ts';
import { contradictionIn, parseParameters } from './url.ts';

/**
 * The body of a form. Its own class tells it from a JSON object, because forms carry JSON inside their
 * fields.
 */
export class FormBody {
  readonly fields: Record<string, string>;
  constructor(fields: Record<string, string>) {
    this.fields = fields;
  }
}

type Done = (error: Error | null, body?: unknown) => void;

/**
 * Accepts JSON and urlencoded forms; refuses every other content type with 415. An empty body is undefined,
 * whatever its content type. text/plain is left out on purpose: a page of any origin can send it without a
 * preflight request. `timeout` bounds the arrival of a body, in milliseconds.
 */
export function registerBodyParsers(app: FastifyInstance, timeout: number = LIMITS.requestTimeout): void {
  app.removeAllContentTypeParsers();
  for (const type of ['application/json', /^application\/[\w.-]+\+json(?:\s*;|$)/i]) {
    app.addContentTypeParser(type, (request: FastifyRequest, payload: Readable, done: Done) =>
      readBody(request, payload, timeout, parseJson, done),
    );
  }
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    (request: FastifyRequest, payload: Readable, done: Done) =>
      readBody(request, payload, timeout, parseForm, done),
  );
}

function parseForm(bytes: Buffer): FormBody {
  if (!isUtf8(bytes)) throw new ServiceError('BadRequestError', 'The body is not valid UTF-8');
  const text = bytes.toString('utf8');
  let fields = 0;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    fields += 1;
    if (fields >= LIMITS.formFields) {
      throw new ServiceError('RequestTooLargeError', `A form may have at most ${LIMITS.formFields} fields`);
    }
  }
  const parameters = parseParameters(text);
  const contradiction = contradictionIn(parameters);
  if (contradiction) throw contradiction;
  for (const value of Object.values(parameters)) {
    if (value.includes('\0')) throw new ServiceError('BadRequestError', 'Text must not contain NUL');
  }
  return new FormBody(parameters);
}

/**
 * Collects a body of at most `LIMITS.bodyBytes` within `timeout`. Node's own deadline cannot tell a slow form
 * from a large upload in progress.
 */
function readBody(
  request: FastifyRequest,
  payload: Readable,
  timeout: number,
  parse: (bytes: Buffer) => unknown,
  done: Done,
): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    done(new ServiceError('UnsupportedMediaTypeError', 'Compressed bodies are not accepted'));
    return;
  }
  try {
    requireBodyWithin(request.raw, LIMITS.bodyBytes);
  } catch (error) {
    done(error as Error);
    return;
  }
  askForBody(request.raw);
  const chunks: Buffer[] = [];
  let length = 0;
  const deadline = setTimeout(() => finish(tooSlow(timeout)), timeout);
  payload.on('data', onData);
  payload.on('end', onEnd);
  payload.on('error', onBroken);
  payload.on('close', onBroken);

  function onData(chunk: Buffer): void {
    length += chunk.length;
    if (length > LIMITS.bodyBytes) finish(bodyTooLarge(LIMITS.bodyBytes));
    else chunks.push(chunk);
  }

  function onEnd(): void {
    const [first] = chunks;
    if (first === undefined) {
      finish(null);
      return;
    }
    try {
      finish(null, parse(chunks.length === 1 ? first : Buffer.concat(chunks, length)));
    } catch (error) {
      finish(error as Error);
    }
  }

  function onBroken(): void {
    finish(new ServiceError('BadRequestError', 'The body ended early'));
  }

  function finish(error: Error | null, body?: unknown): void {
    clearTimeout(deadline);
    payload.off('data', onData);
    payload.off('end', onEnd);
    payload.off('error', onBroken);
    payload.off('close', onBroken);
    // No listener is left, and an unhandled 'error' would end the process.
    payload.on('error', ignore);
    done(error, body);
  }
}

function ignore(): void {}

function tooSlow(timeout: number): ServiceError {
  return new ServiceError('RequestTimeoutError', `The body took longer than ${timeout / 1000} seconds`);
}
