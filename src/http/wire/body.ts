import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { askForBody } from './expect-continue.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { bodyParser, type ParseBody } from './parse-body.ts';
import { announcedBytes, bodyTooLarge, hasBody, requireBodyWithin } from './unread-body.ts';

/**
 * Reads every body, that of a GET too; `parse-body.ts` decides what it is. An empty body is undefined,
 * whatever its content type. A page of any origin can send a body without a preflight request: what protects
 * sessions is the comparison of origins in `caller/identify.ts`. `timeout` bounds the arrival of a body, in
 * milliseconds.
 */
export function registerBodyParsers(app: FastifyInstance, timeout: number = LIMITS.requestTimeout): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request: FastifyRequest, payload: Readable) =>
    readBody(request, payload, timeout),
  );
  // Fastify parses no body of these methods. Only the API takes parameters from one: files and pages leave it
  // unread.
  app.addHook('preValidation', (request, _reply, done) => {
    const { method, raw } = request;
    if ((method !== 'GET' && method !== 'HEAD') || !hasBody(raw)) return done();
    const { url = '' } = request.routeOptions;
    if (!(url === '/' || url.startsWith('/api/'))) return done();
    readBody(request, raw, timeout).then((body) => {
      request.body = body;
      done();
    }, done);
  });
}

/**
 * Collects and parses a body of at most `LIMITS.bodyBytes` within `timeout`. Node's own deadline cannot tell
 * a slow form from a large upload in progress.
 */
async function readBody(request: FastifyRequest, payload: Readable, timeout: number): Promise<unknown> {
  const { 'content-encoding': encoding, 'content-type': type = '' } = request.headers;
  if (encoding !== undefined && encoding !== 'identity') {
    throw new ServiceError('UnsupportedMediaTypeError', 'Compressed bodies are not accepted');
  }
  requireBodyWithin(request.raw, LIMITS.bodyBytes);
  askForBody(request.raw);
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const gathered = new GatheredBytes(announcedBytes(request.raw) || LIMITS.bodyBytes);
  let parse: ParseBody | null = null;
  const deadline = setTimeout(() => refuse(tooSlow(timeout)), timeout);
  payload.on('data', onData);
  payload.on('end', onEnd);
  payload.on('error', onBroken);
  payload.on('close', onBroken);
  return promise;

  function onData(chunk: Buffer): void {
    if (gathered.length + chunk.length > LIMITS.bodyBytes) {
      refuse(bodyTooLarge(LIMITS.bodyBytes));
      return;
    }
    const first = parse === null ? chunk.find(isVisible) : undefined;
    if (first !== undefined) attempt(() => (parse = bodyParser(type, String.fromCharCode(first))));
    gathered.add(chunk);
  }

  function onEnd(): void {
    stop();
    if (gathered.length === 0) resolve(undefined);
    else attempt(() => resolve((parse ?? bodyParser(type, ''))(gathered.whole())));
  }

  function onBroken(): void {
    refuse(new ServiceError('BadRequestError', 'The body ended early'));
  }

  function attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      refuse(error);
    }
  }

  function refuse(error: unknown): void {
    stop();
    reject(error);
  }

  function stop(): void {
    clearTimeout(deadline);
    payload.off('data', onData);
    payload.off('end', onEnd);
    payload.off('error', onBroken);
    payload.off('close', onBroken);
    // No listener is left, and an unhandled 'error' would end the process.
    payload.on('error', ignore);
  }
}

const BLANKS: ReadonlySet<number> = new Set([9, 10, 13, 32]);

function isVisible(byte: number): boolean {
  return !BLANKS.has(byte);
}

function ignore(): void {}

function tooSlow(timeout: number): ServiceError {
  return new ServiceError('RequestTimeoutError', `The body took longer than ${timeout / 1000} seconds`);
}
