import {
  type Arguments,
  type KnownArguments,
  knownArguments,
  parseArguments,
  type ValuesOf,
} from '../doctype/arguments.ts';
import type { Document } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { nearMiss } from '../kernel/near-miss.ts';
import { type Fields, isRecord } from '../kernel/value.ts';
import { checkArgumentLinks } from './argument-links.ts';
import type { Context } from './context.ts';

/** Verbs a method may answer to; HEAD follows GET. */
export type MethodVerb = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A verb that a method of a document may answer to. */
export type DocumentVerb = 'GET' | 'POST';

/** A function that clients may call at `/api/method/<name>`; made by `defineMethod`. */
export interface Method {
  /** A method that answers only GET runs without a transaction; every other call is one unit of work. */
  readonly http: readonly MethodVerb[];
  /** Callable without credentials. Permission checks inside still see the user Guest. */
  readonly allowGuest: boolean;
  /** Whoever has one of these roles may call it, and Administrator; empty: everybody who is let in. */
  readonly roles: readonly string[];
  /** What it does, for people. */
  readonly description: string;
  /** What it takes; `any` takes everything as it was sent. */
  readonly args: KnownArguments | 'any';
  /** Resolves to the value of `message` in the reply. Checks `args`, the request's parameters as sent. */
  run(ctx: Context, args: Fields): Promise<unknown>;
}

/** A method of one document that clients may call; made by `defineDocumentMethod`. */
export interface DocumentMethod extends Pick<Method, 'description' | 'args'> {
  /** By GET it needs the right to read and has no transaction, by POST the right to write. */
  readonly http: readonly DocumentVerb[];
  /** Checks `args`, the request's parameters as sent. Changes to `doc` are kept only by `updateDocument`. */
  run(doc: Document, ctx: Context, args: Fields): Promise<unknown>;
}

type Declared = Arguments | 'any';
type Nothing = Readonly<Record<never, never>>;

/** What a handler gets: `args` as declared, or as sent. */
export type Handled<A extends Declared> = A extends Arguments ? ValuesOf<A> : Fields;

interface Definition<A extends Declared> {
  /** What it does, for people. */
  readonly description?: string;
  /** By name; without them the method takes none. `any` takes everything as it was sent: check it yourself. */
  readonly args?: A;
}

/** What an author writes: without `http` a method answers POST, without `allowGuest` it refuses Guest. */
export interface MethodDefinition<A extends Declared = Nothing> extends Definition<A> {
  readonly http?: readonly MethodVerb[];
  readonly allowGuest?: boolean;
  /** Only for whoever has one of these roles, and for Administrator. */
  readonly roles?: readonly string[];
  run(ctx: Context, args: Handled<A>): unknown;
}

/** The same for a method of one document. */
export interface DocumentMethodDefinition<A extends Declared = Nothing> extends Definition<A> {
  readonly http?: readonly DocumentVerb[];
  run(doc: Document, ctx: Context, args: Handled<A>): unknown;
}

/**
 * Declares a method for `defineApp({ methods })`. The types of `args` are those of the handler's arguments.
 * @throws TypeError for a key that looks like a misspelled one, and for arguments that no call could satisfy
 */
export function defineMethod<const A extends Declared = Nothing>(definition: MethodDefinition<A>): Method {
  requireSpelling(definition, ['http', 'allowGuest', 'roles', 'description', 'args', 'run']);
  const { http = ['POST'], allowGuest = false, roles = [], description = '' } = definition;
  const args = declaredBy(definition);
  return {
    http,
    allowGuest,
    roles,
    description,
    args,
    async run(ctx, given) {
      if (!mayCall(ctx.user, roles)) throw new ServiceError('PermissionError', 'Not permitted');
      return definition.run(ctx, await handled<A>(ctx, args, given));
    },
  };
}

/** Declares a method for a controller's `documentMethods`. @throws TypeError as `defineMethod` */
export function defineDocumentMethod<const A extends Declared = Nothing>(
  definition: DocumentMethodDefinition<A>,
): DocumentMethod {
  requireSpelling(definition, ['http', 'description', 'args', 'run']);
  const { http = ['POST'], description = '' } = definition;
  const args = declaredBy(definition);
  return {
    http,
    description,
    args,
    run: async (doc, ctx, given) => definition.run(doc, ctx, await handled<A>(ctx, args, given)),
  };
}

/** True for what `defineMethod` or `defineDocumentMethod` made, or something of the same shape. */
export function isMethod(value: unknown): boolean {
  return (
    isRecord(value) && Array.isArray(value['http']) && 'args' in value && typeof value['run'] === 'function'
  );
}

/** True when the user has a role that a method of these roles is for. */
export function mayCall(user: Context['user'], roles: Method['roles']): boolean {
  return roles.length === 0 || user.isAdministrator || roles.some((role) => user.roles.has(role));
}

function requireSpelling(definition: object, known: readonly string[]): void {
  for (const key of Object.keys(definition)) {
    const meant = nearMiss(key, known);
    if (meant !== undefined) throw new TypeError(`a method has no ${key}; did you mean ${meant}?`);
  }
  if (!('run' in definition) || typeof definition.run !== 'function') {
    throw new TypeError('a method needs a function run');
  }
}

function declaredBy(definition: Definition<Declared>): KnownArguments | 'any' {
  const { args = {} } = definition;
  return args === 'any' ? args : knownArguments(args);
}

async function handled<A extends Declared>(
  ctx: Context,
  args: KnownArguments | 'any',
  given: Fields,
): Promise<Handled<A>> {
  // The declared types are what parsing makes true.
  if (args === 'any') return given as Handled<A>;
  const values = parseArguments(args, given);
  await checkArgumentLinks(ctx, args, values);
  return values as Handled<A>;
}
