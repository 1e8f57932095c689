import type { CommandFlags, CommandLine } from '../config/parse-command-line.ts';
import { nearMiss } from '../kernel/near-miss.ts';
import { UsageError } from './command.ts';

/** One form of a command, from a line of its usage: `create <email> [--roles <a,b>]`. */
interface Form {
  /** The first word of a command with several actions. */
  readonly action: string | null;
  /** The caller's words, in order. */
  readonly words: readonly Argument[];
  readonly flags: ReadonlyMap<string, Argument & { readonly takes: 'string' | 'boolean' }>;
  readonly text: string;
}

interface Argument {
  /** As written in the usage, without brackets. */
  readonly text: string;
  readonly isRequired: boolean;
}

/** The flags in the usage lines. */
export function flagsOf(usage: readonly string[]): CommandFlags {
  const flags = usage.flatMap((line) => [...parseForm(line).flags]);
  return Object.fromEntries(flags.map(([name, { takes }]) => [name, takes]));
}

/**
 * Refuses a call that no usage line allows: too many or missing words, or actions and flags of other forms.
 * @throws UsageError
 */
export function checkCall(
  command: string,
  usage: readonly string[],
  { words, flags }: Pick<CommandLine, 'words' | 'flags'>,
): void {
  const forms = usage.map(parseForm);
  const form =
    forms.find(({ action }) => action !== null && action === words[0]) ??
    forms.find(({ action }) => action === null);
  if (!form) throw noAction(command, forms, words[0]);
  const called = form.action === null ? command : `${command} ${form.action}`;
  const refuse = (what: string) => new UsageError(`${what}\nUsage: chancery ${command} ${form.text}`.trim());

  const given = form.action === null ? words : words.slice(1);
  const stray = given[form.words.length];
  if (stray !== undefined) {
    if (form.action === null && nearMiss(stray, actionsOf(forms))) throw noAction(command, forms, stray);
    throw refuse(`${called} does not take "${stray}"`);
  }
  for (const name of Object.keys(flags)) {
    if (!form.flags.has(name)) throw refuse(`${called} does not take --${name}`);
  }
  const missing =
    form.words.find(({ isRequired }, place) => isRequired && !given[place]) ??
    [...form.flags].find(([name, { isRequired }]) => isRequired && flags[name] === undefined)?.[1];
  if (!missing) return;
  if (form.action === null && nearMiss(words[0] ?? '', actionsOf(forms)))
    throw noAction(command, forms, words[0]);
  throw refuse(`${missing.text} is missing`);
}

function noAction(command: string, forms: readonly Form[], word: string | undefined): UsageError {
  const actions = actionsOf(forms);
  const list = actions.join(', ');
  if (word === undefined) return new UsageError(`${command} needs one of these words: ${list}`);
  const meant = nearMiss(word, actions);
  const hint = meant ? ` Did you mean ${meant}?` : '';
  return new UsageError(`${command} ${word} is not a command.${hint} There are: ${list}`);
}

function actionsOf(forms: readonly Form[]): string[] {
  return forms.flatMap(({ action }) => action ?? []);
}

function parseForm(text: string): Form {
  let action: string | null = null;
  const words: Argument[] = [];
  const flags: [string, Argument & { takes: 'string' | 'boolean' }][] = [];
  for (const [part, opening, inner = ''] of text.matchAll(/(\[?)((?:--[\w-]+ )?<[^<>]*>|[\w-]+)\]?/g)) {
    const isRequired = opening === '';
    const flag = /^--([\w-]+)/.exec(inner)?.[1];
    if (flag !== undefined)
      flags.push([flag, { text: inner, isRequired, takes: inner.endsWith('>') ? 'string' : 'boolean' }]);
    else if (inner.startsWith('<')) words.push({ text: inner, isRequired });
    else action = part;
  }
  return { action, words, flags: new Map(flags), text };
}
