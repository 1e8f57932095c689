import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MethodVerb } from '../document/contract.ts';
import type { Call } from '../operation/operation.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import { Answer, doOnce } from './once.ts';
import { replicaFor } from './position.ts';

/** A call over HTTP, for operations that read or write cookies and headers. */
export interface HttpCall extends Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The call of a request. */
export function httpCall(site: OpenSite, request: FastifyRequest, reply: FastifyReply): HttpCall {
  return {
    site,
    request,
    reply,
    verb: verbOf(request),
    requestId: request.id,
    more: {},
    notices: [],
    replica: () => replicaFor(request, site),
    spend: (requests) => request.spend(requests),
    async once(work, present, part) {
      const options = part === undefined ? {} : { part };
      const show = (result: Parameters<typeof present>[0]) => new Answer(present(result));
      try {
        return (await doOnce(site, request, reply, work, show, options)).body;
      } catch (error) {
        // The operation may report the error in its result, and no handler of errors sees it then.
        throw await site.explain(error);
      }
    },
  };
}

/** The verb of a request; HEAD counts as GET. */
export function verbOf({ method }: FastifyRequest): MethodVerb {
  // The routes of operations accept no other verbs.
  return (method === 'HEAD' ? 'GET' : method) as MethodVerb;
}
