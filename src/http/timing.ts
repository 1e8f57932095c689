import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSystemManager } from '../access/user.ts';

/** The stages of one request, in milliseconds, as the header `Server-Timing`. */
export class Timing {
  readonly #reply: FastifyReply;
  readonly #stages: string[] = [];
  #last = 0;

  /** From the request's arrival on. */
  constructor(reply: FastifyReply) {
    this.#reply = reply;
  }

  /** Ends a stage, which began with the end of the one before. */
  end(stage: string): void {
    const now = this.#reply.elapsedTime;
    this.#stages.push(`${stage};dur=${(now - this.#last).toFixed(1)}`);
    this.#last = now;
  }

  /** Sets the header. */
  send(): void {
    this.#reply.header('server-timing', this.#stages.join(', '));
  }
}

/** For a System Manager who asks with `X-Chancery-Timing`; null for all others. */
export function timingOf(request: FastifyRequest, reply: FastifyReply): Timing | null {
  if (request.headers['x-chancery-timing'] === undefined || !isSystemManager(request.user)) return null;
  return new Timing(reply);
}
