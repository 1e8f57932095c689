import type { FlagScope } from '../config/config-flags.ts';
import type { LoadedConfig } from '../config/load-config.ts';

/** A command of `chancery`. */
export interface Command {
  /** One line for `chancery help`. */
  readonly help: string;
  /**
   * Words and flags after the command's name, one entry per form, such as `create <email> [--roles <a,b>]`.
   * The command line is checked against them. Default: the name alone.
   */
  readonly usage?: readonly string[];
  /** The configuration flags that it accepts. Default: the flags that identify the site. */
  readonly scope?: FlagScope;
  /** Resolves to the exit code. Called only for a call that `usage` allows. */
  run(invocation: Invocation): Promise<number>;
}

export interface Invocation extends LoadedConfig {
  /** Words after the command's name. */
  readonly words: readonly string[];
  /** Prints a line on standard output. */
  readonly print: (line: string) => void;
}

/** A usage error. The message states the correct usage. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** The word at an index. @throws UsageError naming the missing word */
export function requireWord(words: readonly string[], index: number, what: string): string {
  const word = words[index];
  if (word === undefined) throw new UsageError(`${what} is missing`);
  return word;
}

/** Runs the action named by the first word. `usage` names the same actions. */
export function runAction(
  actions: Readonly<Record<string, (invocation: Invocation) => Promise<number>>>,
  invocation: Invocation,
): Promise<number> {
  const action = requireWord(invocation.words, 0, 'The action');
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!run) throw new UsageError(`${action} is not one of ${Object.keys(actions).join(', ')}`);
  return run(invocation);
}
