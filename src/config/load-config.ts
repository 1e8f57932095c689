import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearMiss } from '../kernel/near-miss.ts';
import { isRecord } from '../kernel/value.ts';
import { type Config, DEFAULT_CONFIG } from './config.ts';
import type { FlagScope } from './config-flags.ts';
import { flagsOfNpm } from './npm-flags.ts';
import { type CommandFlags, type CommandLine, readArguments } from './read-arguments.ts';
import { envName, SETTINGS } from './settings.ts';

/** Everything that is wrong with the configuration, one sentence each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : 'problems'}:\n  ${problems.join('\n  ')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** The configuration, and what the command line says beside it. */
export interface LoadedConfig extends Pick<CommandLine, 'words' | 'flags'> {
  readonly config: Config;
  /** Not wrong enough to stop: unknown `CHANCERY_*` variables. */
  readonly warnings: readonly string[];
}

export interface ConfigSources {
  readonly argv: readonly string[];
  readonly commandFlags?: CommandFlags;
  /** Which flags there are beside those. With `none`, neither a file nor the environment is read. Default: `server`. */
  readonly scope?: FlagScope;
  /** Default: the process environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the working directory of the process. */
  readonly cwd?: string;
}

const FILE_NAME = 'chancery.config.json';

/**
 * Defaults, then the file, then the environment, then the flags. Synchronous: it runs once, before anything else.
 * @throws ConfigError naming every problem of every source
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const scope = sources.scope ?? 'server';
  const env = scope === 'none' ? {} : (sources.env ?? process.env);
  const cwd = sources.cwd ?? process.cwd();
  const problems: string[] = [];
  const values = structuredClone(DEFAULT_CONFIG) as unknown as Record<string, unknown>;
  values['data'] = resolve(cwd, DEFAULT_CONFIG.data);

  const commandFlags = sources.commandFlags ?? {};
  const line = readArguments(sources.argv, scope, commandFlags, problems);
  const taken = flagsOfNpm(scope, commandFlags, line, env);
  if (taken !== null) problems.push(taken);
  const file =
    scope === 'none'
      ? new Map()
      : readFile(line.settings.get('config') ?? env['CHANCERY_CONFIG'], cwd, problems);

  const warnings = unknownVariables(env);
  for (const setting of SETTINGS) {
    const variable = envName(setting.path);
    const given: [source: string, value: unknown][] = [
      [`${FILE_NAME}: ${setting.path}`, file.get(setting.path)],
      [setting.envAlias ?? '', setting.envAlias && env[setting.envAlias]],
      [variable, env[variable]],
      [`--${setting.flag}`, setting.flag && line.settings.get(setting.flag)],
    ];
    for (const [source, value] of given) {
      // An empty variable is an unset one, except where empty means something: a list without entries.
      const emptyList = value === '' && Array.isArray(valueAt(values, setting.path));
      if (value === undefined || value === null) continue;
      if (value === '' && setting.neverEmpty)
        problems.push(`${source} is empty: give it a value, or leave it out`);
      if (value === '' && !emptyList) continue;
      try {
        put(values, setting.path, setting.read(value, cwd));
      } catch (error) {
        problems.push(`${source} ${error instanceof Error ? error.message : error}`);
      }
    }
  }
  if (line.settings.has('no-worker')) put(values, 'webhooks.worker', false);
  if (line.settings.has('no-admin-ui')) put(values, 'adminUi', false);

  if (problems.length > 0) throw new ConfigError(problems);
  return {
    config: deepFreeze(values) as unknown as Config,
    words: line.words,
    flags: line.flags,
    warnings,
  };
}

/** The configuration for a person's eyes: secrets and passwords in URLs masked. */
export function presentConfig(config: Config): Record<string, unknown> {
  const shown = structuredClone(config) as unknown as Record<string, unknown>;
  for (const setting of SETTINGS) {
    const value = valueAt(shown, setting.path);
    if (setting.secret && Array.isArray(value))
      put(
        shown,
        setting.path,
        value.map(() => '********'),
      );
    if (!setting.secret || typeof value !== 'string') continue;
    const isUrl = setting.path === 'database' || setting.path === 'files';
    put(shown, setting.path, isUrl ? value.replace(/(:\/\/[^:/@]*:)[^@]*@/, '$1********@') : '********');
  }
  return shown;
}

/** The file's settings by path. Keys may be written `snake_case` too. */
function readFile(named: string | undefined, cwd: string, problems: string[]): Map<string, unknown> {
  const path = resolve(cwd, named || FILE_NAME);
  const found = new Map<string, unknown>();
  if (!named && !existsSync(path)) return found;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    problems.push(`${path} cannot be read as JSON: ${error instanceof Error ? error.message : error}`);
    return found;
  }
  if (!isRecord(content)) {
    problems.push(`${path} must hold a JSON object`);
    return found;
  }
  const paths = new Set(SETTINGS.map((setting) => setting.path));
  const groups = new Set([...paths].flatMap((key) => (key.includes('.') ? (key.split('.')[0] ?? []) : [])));
  const walk = (record: Record<string, unknown>, prefix: string) => {
    for (const [written, value] of Object.entries(record)) {
      const key = prefix + written.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      if (paths.has(key)) found.set(key, value);
      else if (prefix === '' && groups.has(key) && isRecord(value)) walk(value, `${key}.`);
      else if (written !== '$schema')
        problems.push(
          `${path}: "${prefix}${written}" is not a setting${suggest(key, [...paths, ...groups])}`,
        );
    }
  };
  walk(content, '');
  return found;
}

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set(SETTINGS.flatMap(({ path, envAlias }) => [envName(path), envAlias ?? []].flat()));
  known.add('CHANCERY_CONFIG');
  return Object.keys(env)
    .filter((name) => name.startsWith('CHANCERY_') && !name.startsWith('CHANCERY_TEST_') && !known.has(name))
    .map((name) => `${name} is not a setting and was ignored${suggest(name, known)}`);
}

function suggest(name: string, known: Iterable<string>): string {
  const meant = nearMiss(name, known);
  return meant ? `. Did you mean ${meant}?` : '';
}

function put(values: Record<string, unknown>, path: string, value: unknown): void {
  const [group = '', key] = path.split('.');
  const inner = values[group];
  if (key === undefined) values[group] = value;
  else if (isRecord(inner)) inner[key] = value;
}

function valueAt(values: Record<string, unknown>, path: string): unknown {
  const [group = '', key] = path.split('.');
  const inner = values[group];
  return key === undefined ? inner : isRecord(inner) ? inner[key] : undefined;
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
