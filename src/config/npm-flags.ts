import { configFlags, type FlagScope } from './config-flags.ts';
import type { CommandFlags, CommandLine } from './parse-command-line.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A sentence with the correct call when npm consumed a command's flags; otherwise null. `npm start --port
 * 8001` passes only the word 8001 to the script, and `npm start --port=8001` passes nothing. npm stores such
 * a flag in an environment variable.
 */
export function flagsOfNpm(
  scope: FlagScope,
  commandFlags: CommandFlags,
  { words }: Pick<CommandLine, 'words'>,
  env: Environment,
): string | null {
  const { npm_lifecycle_event: script, npm_lifecycle_script: text = '' } = env;
  if (script === undefined || !text.includes('chancery')) return null;
  const known = [
    ...configFlags(scope).map(({ name, takes }) => [name, takes] as const),
    ...Object.entries(commandFlags),
  ];
  const taken = known.flatMap(([flag, type]) => {
    // npm turns --no-worker into the flag worker without a value.
    const value = env[`npm_config_${flag.replace(/^no-/, '').replaceAll('-', '_')}`];
    if (value === undefined || (type === 'boolean') !== (value === '')) return [];
    return [type === 'boolean' || value === 'true' ? `--${flag}` : `--${flag} ${value}`];
  });
  if (taken.length === 0) return null;
  const call =
    script === 'npx' ? 'npx chancery' : script === 'start' ? 'npm start --' : `npm run ${script} --`;
  return `npm took a flag for itself. Run instead: ${[call, ...taken, ...words].join(' ')}`;
}
