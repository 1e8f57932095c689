import type { Context } from './context.ts';

/** Verbs a method may answer to; HEAD follows GET. */
export type MethodVerb = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A function that clients may call at `/api/method/<name>`. */
export interface Method {
  /** A method that answers only GET runs without a transaction; every other call is one unit of work. */
  readonly http: readonly MethodVerb[];
  /** Callable without credentials. Permission checks inside still see the user Guest. */
  readonly allowGuest: boolean;
  /** Resolves to the value of `message` in the reply. `args` are the request's parameters as sent: check them. */
  run(ctx: Context, args: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** What an author writes: without `http` a method answers POST, without `allowGuest` it refuses Guest. */
export interface MethodDefinition {
  readonly http?: readonly MethodVerb[];
  readonly allowGuest?: boolean;
  readonly run: Method['run'];
}

/** Declares a method for `defineApp({ methods })`. */
export function defineMethod(definition: MethodDefinition): Method {
  return {
    http: definition.http ?? ['POST'],
    allowGuest: definition.allowGuest ?? false,
    run: definition.run,
  };
}
