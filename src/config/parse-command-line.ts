import { parseArgs } from 'node:util';
import { nearMiss } from '../kernel/near-miss.ts';
import { configFlags, type FlagScope } from './config-flags.ts';

/** A command's own flags, besides the configuration flags. */
export type CommandFlags = Readonly<Record<string, 'string' | 'boolean'>>;

/** The parsed arguments of a command. */
export interface CommandLine {
  /** Configuration flags, by name without `--`. */
  readonly settings: ReadonlyMap<string, string>;
  /** The command's own flags. */
  readonly flags: Readonly<Record<string, string | true>>;
  /** Arguments that are not flags, in order. */
  readonly words: readonly string[];
}

/** Separates flags from words. Adds a sentence to `problems` for each invalid flag. */
export function parseCommandLine(
  argv: readonly string[],
  scope: FlagScope,
  commandFlags: CommandFlags,
  problems: string[],
): CommandLine {
  const settings = new Map(configFlags(scope).map((flag) => [flag.name, flag]));
  const own = new Map(Object.entries(commandFlags));
  // Without a type, Node would parse the value of another command's flag as a word.
  const known = [...configFlags('server').map(({ name, takes }) => [name, takes] as const), ...own];
  const options = Object.fromEntries(known.map(([name, type]) => [name, { type }]));
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const line = {
    settings: new Map<string, string>(),
    flags: {} as Record<string, string | true>,
    words: [] as string[],
  };
  for (const token of tokens) {
    if (token.kind === 'positional') line.words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const type = own.get(name) ?? settings.get(name)?.takes;
    if (!type) problems.push(unknownFlag(name, rawName, [...own.keys(), ...settings.keys()]));
    else if (type === 'boolean' && value !== undefined) problems.push(`${rawName} takes no value`);
    else if (type === 'string' && !value && !(value === '' && settings.get(name)?.mayBeEmpty))
      problems.push(`${rawName} needs a value`);
    else if (type === 'string' && !inlineValue && /^-./.test(value ?? ''))
      problems.push(`${rawName} needs a value. Write a value that begins with a dash as ${rawName}=${value}`);
    else if (own.has(name)) line.flags[name] = value ?? true;
    else line.settings.set(name, value ?? '');
  }
  return line;
}

function unknownFlag(name: string, rawName: string, known: readonly string[]): string {
  const meant = nearMiss(name, known);
  return `${rawName} is not a flag of this command. ${meant ? `Did you mean --${meant}?` : 'See --help'}`;
}
