import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../src/cli/cli.ts';
import type { Config } from '../../src/config/config.ts';

/** What a command has printed, and its exit code. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command of `chancery` in this process, with the settings in a configuration file in `directory`: secret ones
 * are no flags.
 */
export async function chancery(
  directory: string,
  words: readonly string[],
  settings: object = {},
): Promise<Ran> {
  const file = join(directory, 'config.json');
  await writeFile(file, JSON.stringify({ apps: [], ...settings }));
  let [stdout, stderr] = ['', ''];
  const code = await run([...words, '--config', file], {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stdout, stderr };
}

/** The flags that name a site. */
export function flagsOf({ data, database }: Pick<Config, 'data' | 'database'>): readonly string[] {
  return ['--data', data, ...(database === null ? [] : ['--database', database])];
}
