import { configFlags, type FlagScope } from '../config/config-flags.ts';
import { SETTINGS } from '../config/settings.ts';
import type { Command } from './command.ts';
import { flagsOf } from './usage.ts';

/** The help of one command: its purpose, each form, and its configuration flags. */
export function commandHelp(name: string, { usage = [''], help, scope = 'site' }: Command): string {
  // `types` gives a configuration flag its own meaning.
  const own = Object.keys(flagsOf(usage));
  const flags = flagRows(scope).filter(([flag = '']) => !own.includes(/^--([\w-]+)/.exec(flag)?.[1] ?? ''));
  const calls = usage.map((words) => ['chancery', name, words, flags.length > 0 ? '[flags]' : '']);
  return [
    ...calls.map((parts) => parts.filter((part) => part !== '').join(' ')),
    `    ${help}`,
    ...(flags.length > 0 ? ['', 'Flags', ...columns(flags)] : []),
  ].join('\n');
}

/** The complete help, generated from the tables of commands and flags. */
export function helpText(commands: Readonly<Record<string, Command>>): string {
  const variables = SETTINGS.map(({ variable, help }) => [variable, help]);
  return [
    'chancery [command] [flags]',
    '',
    'Commands (serve is the default)',
    ...columns(Object.entries(commands).map(([name, { help }]) => [name, help])),
    '  chancery <command> --help shows the usage of a command',
    '',
    'Flags',
    ...columns(flagRows('server')),
    '',
    'Environment (the configuration file has the same names: CHANCERY_WEBHOOKS_ALLOW is webhooks.allow)',
    ...columns(variables),
  ].join('\n');
}

function flagRows(scope: FlagScope): string[][] {
  return configFlags(scope).map(({ name, takes, help, fallback }) => [
    takes === 'string' ? `--${name} <value>` : `--${name}`,
    fallback === undefined ? help : `${help} (default: ${fallback})`,
  ]);
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`);
}
