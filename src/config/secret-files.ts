import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileVariable, type NamedSetting, variablesOf } from './setting.ts';

/** A secret is a line or a few. A larger file was named by mistake, and would be read whole. */
const MOST_BYTES = 64 * 1024;

/**
 * The values of a secret setting in files that `CHANCERY_…_FILE` names, without the line break at their ends.
 * Adds a problem for each file that cannot be used, and for a secret that is given twice.
 */
export function secretsInFiles(
  setting: NamedSetting,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  problems: string[],
): ['environment', string, string][] {
  if (!setting.secret) return [];
  return variablesOf(setting).flatMap((variable): ['environment', string, string][] => {
    const name = fileVariable(variable);
    const path = env[name];
    if (!path) return [];
    if (env[variable]) {
      problems.push(`${variable} and ${name} are both set: leave one of them out`);
      return [];
    }
    try {
      return [['environment', `${name}: the content of ${path}`, secretIn(resolve(cwd, path))]];
    } catch (error) {
      problems.push(`${name}: ${path} ${whyUnusable(error)}`);
      return [];
    }
  });
}

function secretIn(path: string): string {
  const bytes = readFileSync(path);
  if (bytes.length > MOST_BYTES) throw new Error(`is larger than ${MOST_BYTES} bytes`);
  const text = bytes.toString('utf8').replace(/\r?\n$/, '');
  if (text === '') throw new Error('is empty');
  return text;
}

function whyUnusable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist';
  if (code === 'EISDIR') return 'is a directory, not a file';
  return error instanceof Error && code === undefined ? error.message : `cannot be read: ${code}`;
}
