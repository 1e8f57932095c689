import type { FastifyBaseLogger } from 'fastify';
import type { Observer } from '../../kernel/observation.ts';

/**
 * Makes Fastify's log of one request. It observes a second reply to one request, and failures after a reply
 * has begun, which the client sees only as a closed connection. It leaves out `info`, such as clients that
 * hang up.
 */
export function frameworkLog(observe: Observer) {
  return (_parent: unknown, bindings: Readonly<Record<string, unknown>>): FastifyBaseLogger =>
    new FrameworkLog(observe, String(bindings['reqId']));
}

class FrameworkLog implements FastifyBaseLogger {
  readonly level = 'warn';
  readonly #observe: Observer;
  readonly #requestId: string;

  constructor(observe: Observer, requestId: string) {
    this.#observe = observe;
    this.#requestId = requestId;
  }

  warn(about: unknown, message?: unknown): void {
    const error = errorIn(about) ?? new Error(String(message ?? about));
    const requestId = this.#requestId;
    this.#observe(
      isFrameworkError(error)
        ? { kind: 'unexpected', where: 'a reply on its way', error, requestId }
        : { kind: 'reply_broken', error, requestId },
    );
  }

  error(about: unknown, message?: unknown): void {
    this.warn(about, message);
  }

  fatal(about: unknown, message?: unknown): void {
    this.warn(about, message);
  }

  info(): void {}
  debug(): void {}
  trace(): void {}
  silent(): void {}

  child(): FastifyBaseLogger {
    return this;
  }
}

function errorIn(about: unknown): unknown {
  if (about instanceof Error) return about;
  return typeof about === 'object' && about !== null && 'err' in about ? about.err : undefined;
}

// Fastify's own errors, such as the one for a second reply to a request, which breaks nothing.
function isFrameworkError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('FST_');
}
