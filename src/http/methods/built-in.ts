import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../document/context.ts';
import type { Method, MethodVerb } from '../../document/method.ts';
import type { OpenSite } from '../../site/open-site.ts';
import type { Arguments } from '../arguments.ts';

/** What a built-in method may do besides answering: the HTTP side of a call. */
export interface Call {
  readonly site: OpenSite;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Keys to send beside `message`. */
  readonly more: Record<string, unknown>;
}

/** A method of our own at `/api/method/<name>`; unlike an app's it sees the call. */
export interface BuiltIn {
  readonly http: readonly MethodVerb[];
  readonly allowGuest: boolean;
  /** `unit`: one transaction. `read`: committed data only, whatever the verb, so that reading never waits to write. */
  readonly context: 'unit' | 'read';
  /** Changes nothing, by whatever verb: open to keys that only read. */
  readonly reads?: true;
  run(ctx: Context, args: Arguments, call: Call): Promise<unknown>;
  /** What an app declared, of a method that is an app's. */
  readonly declared?: Method;
}

export type BuiltIns = Readonly<Record<string, BuiltIn>>;

/** A method that only reads: any verb, as clients send both. */
export function reading(run: BuiltIn['run']): BuiltIn {
  return { http: ['GET', 'POST'], allowGuest: false, context: 'read', reads: true, run };
}

/** A method that writes, in one transaction. */
export function writing(http: readonly MethodVerb[], run: BuiltIn['run']): BuiltIn {
  return { http, allowGuest: false, context: 'unit', run };
}
