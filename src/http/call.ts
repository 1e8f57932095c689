import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { readContext } from '../document/context.ts';
import type { Context } from '../document/contract.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import { registerOneValue } from './arguments.ts';
import { registerIdentify } from './caller/identify.ts';
import { provenanceOf } from './caller/provenance.ts';
import { type HttpCall, httpCall } from './http-call.ts';
import { registerAdmission } from './limits/admission.ts';
import { registerRateLimits } from './limits/rate-limit.ts';
import { type Answer, doOnce, ListAnswer, type OnceOptions, sendAnswer } from './once.ts';
import { Timing, wantsTiming } from './timing.ts';
import { registerTracing } from './tracing.ts';

/**
 * What a request asks for: an operation, its arguments, and how its address presents the result. Addresses of
 * documents are in `documents/addresses.ts`, names of methods in `methods/routes.ts`.
 */
export interface Asked<R = unknown> {
  /** `unit` runs in one transaction, `read` in none; `own` begins its own. */
  readonly transaction: 'read' | 'unit' | 'own';
  /**
   * True when a context for reading carries the request's provenance, because the operation may write to the
   * audit log.
   */
  readonly isNoted: boolean;
  /** Refuses a caller whom the address alone could not refuse, then waits for a free slot. */
  authorise?(): Promise<void>;
  run(ctx: Context): Promise<R>;
  present(result: R): Answer | ListAnswer;
  readonly once?: OnceOptions;
}

/**
 * The checks that every request passes before its body is read: is there room for it, who sends it, and how
 * many more may they send? Each address declares what it requires (`address.ts`), and refuses a caller
 * without it at once.
 */
export function admitRequests(app: FastifyInstance, site: OpenSite): void {
  registerTracing(app, site.telemetry?.tracing ?? null);
  registerAdmission(app, site.config.admission, site.fence);
  registerIdentify(app, site);
  registerRateLimits(app, site.config.rateLimits, site.siblings);
  registerOneValue(app);
}

/** The handler of a route with operations: parses the request with `parse`, and replies. */
export function answering(
  site: OpenSite,
  parse: (request: FastifyRequest, call: HttpCall) => Asked,
): RouteHandlerMethod {
  return async (request, reply) => {
    const isShown = wantsTiming(request);
    const timing = isShown || site.config.logSlowRequests > 0 ? new Timing(reply) : null;
    request.timing = timing;
    timing?.end('admit');
    const call = httpCall(site, request, reply);
    const asked = parse(request, call);
    timing?.end('parse');
    const answered = await answer(call, timing ? staged(asked, timing) : asked);
    if (asked.transaction === 'unit') timing?.end('commit');
    if (isShown) timing?.send();
    return sendAnswer(reply, answered);
  };
}

/** The same work, which tells its stages. */
function staged(asked: Asked, timing: Timing): Asked {
  return {
    ...asked,
    authorise: async () => {
      await asked.authorise?.();
      timing.end('authorise');
    },
    run: async (ctx) => {
      if (asked.transaction === 'unit') timing.end('begin');
      const result = await asked.run(ctx);
      timing.end('run');
      return result;
    },
    present: (result) => {
      const answer = asked.present(result);
      timing.end('present');
      return answer;
    },
  };
}

/** Authorises, runs and presents; the caller sends the answer. */
export async function answer(call: HttpCall, asked: Asked): Promise<Answer | ListAnswer> {
  if (asked.authorise) await asked.authorise();
  if (asked.transaction === 'unit') return runInUnit(call, asked);
  // Read by POST: there is no change to tell a position of.
  if (asked.transaction === 'read') call.request.positionsAsked = null;
  return asked.present(await asked.run(contextToRead(call, asked)));
}

// Runs a unit of work, once per Idempotency-Key: its answer is stored in the same transaction.
function runInUnit({ site, request, reply }: HttpCall, asked: Asked): Promise<Answer> {
  const present = (result: unknown) => {
    const answer = asked.present(result);
    if (answer instanceof ListAnswer) throw new Error('a list is read outside of transactions');
    return answer;
  };
  return doOnce(site, request, reply, (ctx) => asked.run(ctx), present, asked.once);
}

// Reads committed data only, without effects: a write is refused here.
function contextToRead({ site, request }: HttpCall, { isNoted }: Asked): Context {
  return readContext(site, request.user, isNoted ? provenanceOf(request) : undefined);
}
