import { requireWholeUser } from '../access/key-scope.ts';
import type { CurrentUser } from '../access/user.ts';
import type { Connection } from '../db/database.ts';
import type { JsonSchema } from '../doctype/json-schema-value.ts';
import type { Context, Method, MethodVerb } from '../document/contract.ts';
import type { DocEventName } from '../document/doc-event.ts';
import { mayCall } from '../document/verbs/method.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Fields } from '../kernel/value.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import {
  type ArgumentValues,
  type DeclaredArguments,
  type DescribedArguments,
  describeArguments,
  parseArguments,
} from './arguments.ts';

/** A message for the person who uses a client. */
export interface Notice {
  readonly message: string;
  readonly indicator: 'green' | 'orange';
  /** Present if it may disappear by itself. */
  readonly alert?: 1;
}

/** The notice of a success, which may disappear by itself. */
export function successNotice(message: string): Notice {
  return { message, indicator: 'green', alert: 1 };
}

/** The request behind an operation's call, besides the arguments. */
export interface Call {
  readonly site: OpenSite;
  readonly verb: MethodVerb;
  /** Names the request in the log. */
  readonly requestId: string;
  /** Keys to send beside the result. */
  readonly more: Record<string, unknown>;
  /** Messages for the person, beside the result. */
  readonly notices: Notice[];
  /**
   * The replica that may read the rows of documents for this caller; null: the primary. Ask for it where the rows
   * are read, and never for what decides about rights.
   */
  replica(): Connection | null;
  /** Charges the caller's quota for so many further requests. @throws ServiceError RateLimitExceededError */
  spend(requests: number): void;
  /**
   * One unit of work and the text of its answer. With an `Idempotency-Key` it runs once; `part` identifies
   * one of several units of a request.
   */
  readonly once: <T>(
    work: (ctx: Context) => Promise<T>,
    present: (result: T) => string,
    part?: number,
  ) => Promise<string>;
}

/**
 * Who may call: `guest` everybody; `user` every signed-in user; `permission` signed-in users with permission
 * on the documents, which the operation checks itself.
 */
export type OperationAccess = 'guest' | 'user' | 'permission';

/** An operation that clients can call. `C` is the part of the call that it needs. */
export interface Operation<C extends Call = Call> {
  readonly name: string;
  /** A summary in one line. */
  readonly summary: string;
  /** The arguments; `any` accepts all, unchanged. */
  readonly args: DescribedArguments | 'any';
  /** False when undeclared arguments are refused; otherwise they are ignored. */
  readonly ignoresOthers: boolean;
  /** The schema of the result. */
  readonly result: JsonSchema;
  /** The HTTP verbs that it accepts; HEAD follows GET. */
  readonly http: readonly MethodVerb[];
  readonly access: OperationAccess;
  /** Limits the operation to users with one of these roles, and Administrator; empty for no limit. */
  readonly roles: readonly string[];
  /** Refuses every limited credential, because the operation manages the account. */
  readonly wholeUser: boolean;
  readonly effect: 'read' | 'write';
  /** The result holds a key, secret or token, so that its reply is never compressed. */
  readonly confidential: boolean;
  /**
   * For an operation that writes: `unit` runs it in one transaction; `own` begins transactions itself, for
   * instance after it has hashed a password or stored a file.
   */
  readonly transaction: 'unit' | 'own';
  /**
   * The events that a call may announce about the documents that it changes; notes in their history have
   * events of their own. `any`: another method decides.
   */
  readonly events: readonly DocEventName[] | 'any';
  /** `args` holds the request's parameters, unchecked; `run` checks them. */
  run(ctx: Context, args: Fields, call: C): Promise<unknown>;
}

/** The properties that every author of an operation states. */
type Stated = 'name' | 'summary' | 'effect';

/** An operation as its author declares it; omitted properties get their defaults. */
export interface OperationDefinition<A extends DeclaredArguments, C extends Call>
  extends Pick<Operation, Stated>,
    Partial<Omit<Operation, Stated | 'args' | 'ignoresOthers' | 'run'>> {
  readonly args?: A;
  run(ctx: Context, args: ArgumentValues<A>, call: C): unknown;
}

/** Declares a built-in operation. Undeclared arguments are ignored, as Frappe's clients expect. */
export function defineOperation<
  const A extends DeclaredArguments = Readonly<Record<never, never>>,
  C extends Call = Call,
>(definition: OperationDefinition<A, C>): Operation<C> {
  // Without `args`, `A` is the type of no arguments.
  const args = definition.args ?? ({} as A);
  return {
    result: {},
    http: definition.effect === 'read' ? ['GET', 'POST'] : ['POST', 'PUT'],
    access: 'permission',
    roles: [],
    wholeUser: false,
    confidential: false,
    transaction: 'unit',
    events: [],
    ...definition,
    args,
    ignoresOthers: true,
    run: async (ctx, given, call) => definition.run(ctx, parseArguments(args, given), call),
  };
}

/** The operation of an app's method. */
export function methodOperation(name: string, method: Method): Operation {
  const onlyReads = method.http.every((verb) => verb === 'GET');
  return {
    name,
    summary: method.description || name,
    args: method.args === 'any' ? 'any' : describeArguments(method.args),
    ignoresOthers: false,
    result: {},
    http: method.http,
    access: method.allowGuest ? 'guest' : 'permission',
    roles: method.roles,
    wholeUser: false,
    confidential: method.confidential,
    effect: onlyReads ? 'read' : 'write',
    transaction: 'unit',
    events: onlyReads ? [] : 'any',
    run: (ctx, args) => method.run(ctx, args),
  };
}

/** True when a call changes nothing: by GET, a unit of work becomes a context for reading. */
export function onlyReads(
  { effect, transaction }: Pick<Operation, 'effect' | 'transaction'>,
  verb: string,
): boolean {
  return effect === 'read' || (transaction === 'unit' && verb === 'GET');
}

/** True when the user may call the operation, apart from permissions on documents. */
export function mayRun(user: CurrentUser, { access, roles }: Operation<never>): boolean {
  return (access === 'guest' || !user.isGuest) && mayCall(user, roles);
}

/** Checks that the user may call the operation. @throws ServiceError PermissionError */
export function requireCaller(user: CurrentUser, operation: Operation<never>): void {
  if (!mayRun(user, operation)) throw notPermitted();
  if (operation.wholeUser) requireWholeUser(user);
}

/** The refusal of a Guest, or of a user without the role. */
export function notPermitted(): ServiceError {
  return new ServiceError('PermissionError', 'You are not permitted to access this resource', {
    title: 'Not permitted',
  });
}
