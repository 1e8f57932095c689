import { envName, SETTINGS } from '../config/settings.ts';
import type { Command } from './command.ts';

/** What one command does, and each way to call it. */
export function commandHelp(name: string, { usage = [''], help }: Command): string {
  return [...usage.map((words) => `chancery ${name} ${words}`.trim()), `    ${help}`].join('\n');
}

/** Everything there is to say, from the tables that also do it. */
export function helpText(commands: Readonly<Record<string, Command>>): string {
  const flags = SETTINGS.flatMap(({ flag, help }) => (flag ? [[`--${flag} <value>`, help]] : []));
  flags.push(
    ['--config <file>', 'configuration file; default chancery.config.json in the working directory'],
    ['--no-worker', 'do not deliver webhooks from this process'],
    ['--no-admin-ui', 'do not serve the admin UI'],
  );
  const variables = SETTINGS.map(({ path, help }) => [envName(path), help]);
  return [
    'chancery [command] [flags]',
    '',
    'Commands (serve is the default)',
    ...columns(Object.entries(commands).map(([name, { help }]) => [name, help])),
    '  chancery <command> --help says how each is called',
    '',
    'Flags',
    ...columns(flags),
    '',
    'Environment (the same names as keys of the file: CHANCERY_WEBHOOKS_ALLOW is webhooks.allow)',
    ...columns(variables),
  ].join('\n');
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`);
}
