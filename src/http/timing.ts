import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSystemManager } from '../access/user.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The stages of the work, for requests that a handler of operations answers; null where nobody wants them. */
    timing: Timing | null;
  }
}

/** The stages of one request. */
export class Timing {
  readonly #reply: FastifyReply;
  /** The name of each stage, then its duration in milliseconds. */
  readonly #stages: [name: string, millis: number][] = [];
  #last = 0;

  /** From the request's arrival on. */
  constructor(reply: FastifyReply) {
    this.#reply = reply;
  }

  /** Ends a stage, which began with the end of the one before. */
  end(stage: string): void {
    const now = this.#reply.elapsedTime;
    this.#stages.push([stage, now - this.#last]);
    this.#last = now;
  }

  /** Sets the header `Server-Timing`. */
  send(): void {
    const stages = this.#stages.map(([name, millis]) => `${name};dur=${millis.toFixed(1)}`);
    this.#reply.header('server-timing', stages.join(', '));
  }

  /** The stages in milliseconds, with the time since the last one as `send`. */
  summary(): Record<string, number> {
    const stages = [...this.#stages, ['send', this.#reply.elapsedTime - this.#last] as const];
    return Object.fromEntries(stages.map(([name, millis]) => [name, Math.round(millis * 10) / 10]));
  }
}

/** True for a System Manager who asks for the stages with `X-Chancery-Timing`. */
export function wantsTiming(request: FastifyRequest): boolean {
  return request.headers['x-chancery-timing'] !== undefined && isSystemManager(request.user);
}
