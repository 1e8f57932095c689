import type { FlagScope } from '../config/config-flags.ts';
import type { LoadedConfig } from '../config/load-config.ts';

/** One thing that `chancery` can do. */
export interface Command {
  /** What `chancery help` says, in a line. */
  readonly help: string;
  /**
   * Words and flags after the command's name: each way to call it, such as `create <email> [--roles <a,b>]`. The command line is
   * checked against it. Default: the name alone.
   */
  readonly usage?: readonly string[];
  /** Which flags of the configuration it knows. Default: those that say which site is meant. */
  readonly scope?: FlagScope;
  /** Resolves to the exit code. Called only as `usage` says. */
  run(invocation: Invocation): Promise<number>;
}

export interface Invocation extends LoadedConfig {
  /** Words after the command's own name. */
  readonly words: readonly string[];
  /** A line for the person, on standard output. */
  readonly print: (line: string) => void;
}

/** The command was called in a way that makes no sense; the message says what is wanted. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** The word at a place, or what is missing there as an error. */
export function requireWord(words: readonly string[], index: number, what: string): string {
  const word = words[index];
  if (word === undefined) throw new UsageError(`${what} is missing`);
  return word;
}

/** Runs the action that the first word names; `usage` names the same ones. */
export function runAction(
  actions: Readonly<Record<string, (invocation: Invocation) => Promise<number>>>,
  invocation: Invocation,
): Promise<number> {
  const action = requireWord(invocation.words, 0, 'The action');
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!run) throw new UsageError(`${action} is not one of ${Object.keys(actions).join(', ')}`);
  return run(invocation);
}
