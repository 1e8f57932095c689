import { envName, SETTINGS } from '../config/settings.ts';
import type { Command } from './command.ts';

/** Everything there is to say, from the tables that also do it. */
export function helpText(commands: Readonly<Record<string, Command>>): string {
  const lines = Object.entries(commands).map(([name, { usage = '', help }]) => [
    `${name} ${usage}`.trim(),
    help,
  ]);
  const flags = SETTINGS.flatMap(({ flag, help }) => (flag ? [[`--${flag} <value>`, help]] : []));
  flags.push(
    ['--config <file>', 'configuration file; default chancery.config.json in the working directory'],
    ['--no-worker', 'do not deliver webhooks from this process'],
  );
  const variables = SETTINGS.map(({ path, help }) => [envName(path), help]);
  return [
    'chancery [command] [flags]',
    '',
    'Commands (serve is the default)',
    ...columns(lines),
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
