import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Random } from '../kernel/random.ts';
import { StartError } from './start-error.ts';

/** The keys a site is started with. */
export interface FoundKeys {
  /** The one to encrypt with, from the first start or the next rotation on. */
  readonly configured: Buffer;
  /** Those it replaces. */
  readonly old: readonly Buffer[];
}

/** Where the keys are kept when the configuration does not hold them: one per line in base64, the newest first. */
export function secretKeyFile(config: Config): string {
  return join(config.data, 'secret.key');
}

/**
 * The keys of the configuration, else of `secret.key`.
 * @returns null when there are none yet
 * @throws StartError when others may read the file, or it holds something else
 */
export function readKeys(config: Config): FoundKeys | null {
  const old = config.secretKeysOld.map((key) => Buffer.from(key, 'base64'));
  if (config.secretKey !== null) return { configured: Buffer.from(config.secretKey, 'base64'), old };
  const path = secretKeyFile(config);
  const lines = readLines(path);
  if (lines === null) return null;
  const keys = lines.map((line) => Buffer.from(line, 'base64'));
  const [configured, ...others] = keys;
  if (!configured || keys.some((key) => key.length !== 32)) {
    throw new StartError(`${path} must hold 32 bytes in base64 on each line. Restore it from a backup.`);
  }
  return { configured, old: [...others, ...old] };
}

/** A new key in `secret.key`, readable by nobody else. */
export function makeKeyFile(config: Config, random: Random): Buffer {
  const key = random.bytes(32);
  write(secretKeyFile(config), [key.toString('base64')], 'wx');
  return key;
}

/** Puts a new key before those in `secret.key`. @throws StartError when there is no such file */
export function addKeyToFile(config: Config, random: Random): string {
  const path = secretKeyFile(config);
  const lines = readLines(path);
  if (lines === null) throw new StartError(`${path} is not there. Start the server once: chancery serve`);
  // Replaced as a whole: a crash leaves the old file or the new one.
  write(`${path}.new`, [random.bytes(32).toString('base64'), ...lines], 'w');
  renameSync(`${path}.new`, path);
  return path;
}

function write(path: string, lines: readonly string[], flag: 'w' | 'wx'): void {
  writeFileSync(path, `${lines.join('\n')}\n`, { flag, mode: 0o600, flush: true });
}

function readLines(path: string): string[] | null {
  try {
    // Windows keeps its permissions elsewhere.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      throw new StartError(`${path} can be read by others than its owner. Close it: chmod 600 ${path}`);
    }
    return readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line) => line.trim() || []);
  } catch (error) {
    if (error instanceof StartError) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new StartError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}
