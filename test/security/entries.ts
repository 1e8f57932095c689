import type { TestReply } from '../support/site.ts';
import type { WalkSite, Weak } from './walk-site.ts';

/** An answer other than a refusal, and why it is right. */
export interface Exception {
  readonly status: readonly number[];
  readonly because: string;
  /** What the answer must not give away, or must say. */
  readonly holds?: (reply: TestReply) => boolean;
}

/** What is known of one route or method: how it is called rightly, and who is answered otherwise than refused. */
export interface Entry {
  /** Arguments with which Administrator succeeds: fields of a body, or the query of a GET. */
  readonly args?: (walk: WalkSite) => Promise<Readonly<Record<string, unknown>>>;
  readonly exceptions?: Readonly<Partial<Record<Weak | 'anybody' | 'users', Exception>>>;
  /** Not walked over: why, and where it is tested instead. */
  readonly apart?: string;
}

export function ok(because: string, holds?: Exception['holds']): Exception {
  return { status: [200], because, ...(holds && { holds }) };
}

/** The exception for a caller, where there is one. */
export function exceptionFor({ exceptions = {} }: Entry, caller: Weak): Exception | undefined {
  const isUser = caller !== 'guest' && caller !== 'ended session';
  // A session that ended is nobody's: whoever sends it is a guest.
  const own = exceptions[caller === 'ended session' ? 'guest' : caller];
  return own ?? (isUser ? exceptions.users : undefined) ?? exceptions.anybody;
}
