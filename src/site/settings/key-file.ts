import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { createDurably, replaceDurably } from '../../file/durable-file.ts';
import type { Random } from '../../kernel/random.ts';
import { StartError } from '../start-error.ts';

/** The encryption keys of a starting site. */
export interface FoundKeys {
  /** The key that encrypts, from the first start or the next rotation on. */
  readonly configured: Buffer;
  /** The keys that it replaces. */
  readonly old: readonly Buffer[];
}

/**
 * The file of the keys when the configuration does not hold them: one key per line in base64, the newest
 * first.
 */
export function secretKeyFile(config: Config): string {
  return join(config.data, 'secret.key');
}

/**
 * The keys of the configuration, or else of `secret.key`.
 * @returns null when there are none yet
 * @throws StartError when other users may read the file, or its contents are no keys
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

/** Writes a new key to `secret.key`, readable by its owner only. Another process may be faster: then its key. */
export async function makeKeyFile(config: Config, random: Random): Promise<Buffer> {
  const key = random.bytes(32);
  await createDurably(secretKeyFile(config), textOf([key.toString('base64')]));
  return readKeys(config)?.configured ?? key;
}

/** The keys of the site as `secret.key` holds them, for a backup. @throws StartError when there are none */
export function keyFileContent(config: Config): Buffer {
  const found = readKeys(config);
  if (!found)
    throw new StartError('There is no secret key of the site. Start the server once: chancery serve');
  const lines = [found.configured, ...found.old].map((key) => `${key.toString('base64')}\n`);
  return Buffer.from(lines.join(''));
}

/** Writes `secret.key` from a backup, unless it exists. */
export async function restoreKeyFile(config: Config, content: Buffer): Promise<void> {
  const path = secretKeyFile(config);
  if (readLines(path) === null) await createDurably(path, content.toString('utf8'));
}

/** Adds a new key before those in `secret.key`. @throws StartError when the file does not exist */
export async function addKeyToFile(config: Config, random: Random): Promise<string> {
  const path = secretKeyFile(config);
  const lines = readLines(path);
  if (lines === null) throw new StartError(`${path} does not exist. Start the server once: chancery serve`);
  await replaceDurably(path, textOf([random.bytes(32).toString('base64'), ...lines]));
  return path;
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

function readLines(path: string): string[] | null {
  try {
    // Windows has another permission system.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      throw new StartError(`${path} is readable by other users. Run: chmod 600 ${path}`);
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
