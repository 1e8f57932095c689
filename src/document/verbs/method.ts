import {
  type Arguments,
  type KnownArguments,
  knownArguments,
  parseArguments,
  type ValuesOf,
} from '../../doctype/arguments.ts';
import type { Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { nearMiss } from '../../kernel/near-miss.ts';
import { type Fields, isRecord } from '../../kernel/value.ts';
import type { Context, DocumentMethod, DocumentVerb, Method, MethodVerb } from '../contract.ts';
import { checkArgumentLinks } from './argument-links.ts';

type Declared = Arguments | 'any';
type Nothing = Readonly<Record<never, never>>;

/** The handler's arguments: `args` as declared, or as sent. */
export type Handled<A extends Declared> = A extends Arguments ? ValuesOf<A> : Fields;

interface Definition<A extends Declared> {
  /** A description for readers. */
  readonly description?: string;
  /** By name; without them the method takes none. `any` accepts all, unchecked: check them yourself. */
  readonly args?: A;
}

/**
 * The definition by an author: without `http` a method answers POST, without `allowGuest` it refuses Guest.
 */
export interface MethodDefinition<A extends Declared = Nothing> extends Definition<A> {
  readonly http?: readonly MethodVerb[];
  readonly allowGuest?: boolean;
  /** Only users with one of these roles may call it, and Administrator. */
  readonly roles?: readonly string[];
  /** Set it when the result holds a key, secret or token: its reply is then never compressed. */
  readonly confidential?: boolean;
  run(ctx: Context, args: Handled<A>): unknown;
}

/** The same for a method of one document. */
export interface DocumentMethodDefinition<A extends Declared = Nothing> extends Definition<A> {
  readonly http?: readonly DocumentVerb[];
  run(doc: Document, ctx: Context, args: Handled<A>): unknown;
}

/**
 * Declares a method for `defineApp({ methods })`. `args` determines the types of the handler's arguments.
 * @throws TypeError for a key that looks misspelled, and for arguments that no call could satisfy
 */
export function defineMethod<const A extends Declared = Nothing>(definition: MethodDefinition<A>): Method {
  checkSpelling(definition, ['http', 'allowGuest', 'roles', 'confidential', 'description', 'args', 'run']);
  const { http = ['POST'], allowGuest = false, roles = [], description = '' } = definition;
  const { confidential = false } = definition;
  const args = declaredBy(definition);
  return {
    http,
    allowGuest,
    roles,
    confidential,
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
  checkSpelling(definition, ['http', 'description', 'args', 'run']);
  const { http = ['POST'], description = '' } = definition;
  const args = declaredBy(definition);
  return {
    http,
    description,
    args,
    run: async (doc, ctx, given) => definition.run(doc, ctx, await handled<A>(ctx, args, given)),
  };
}

/** True for a result of `defineMethod` or `defineDocumentMethod`, or an object of the same shape. */
export function isMethod(value: unknown): boolean {
  return (
    isRecord(value) && Array.isArray(value['http']) && 'args' in value && typeof value['run'] === 'function'
  );
}

/** True when the user has one of a method's roles. */
export function mayCall(user: Context['user'], roles: Method['roles']): boolean {
  return roles.length === 0 || user.isAdministrator || roles.some((role) => user.roles.has(role));
}

function checkSpelling(definition: object, known: readonly string[]): void {
  for (const key of Object.keys(definition)) {
    const meant = nearMiss(key, known);
    if (meant !== undefined) throw new TypeError(`a method has no ${key}; did you mean ${meant}?`);
  }
  if (!('run' in definition) || typeof definition.run !== 'function') {
    throw new TypeError('a method needs a run function');
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
  // Parsing has established the declared types.
  if (args === 'any') return given as Handled<A>;
  const values = parseArguments(args, given);
  await checkArgumentLinks(ctx, args, values);
  return values as Handled<A>;
}
