import type { CommandFlags, LoadedConfig } from '../config/load-config.ts';

/** One thing that `chancery` can do. */
export interface Command {
  /** What `chancery help` says, in a line. */
  readonly help: string;
  /** Words and flags after the command's name, for `chancery help`: each way to call it. Default: the name alone. */
  readonly usage?: readonly string[];
  /** Flags beside those of the configuration. */
  readonly flags?: CommandFlags;
  /** Resolves to the exit code. Throws UsageError for words that make no sense. */
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
