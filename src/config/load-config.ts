import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearMiss } from '../kernel/near-miss.ts';
import { isRecord } from '../kernel/value.ts';
import { type Config, DEFAULT_CONFIG } from './config.ts';
import type { FlagScope } from './config-flags.ts';
import { flagsOfNpm } from './npm-flags.ts';
import { type CommandFlags, type CommandLine, parseCommandLine } from './parse-command-line.ts';
import { secretsInFiles } from './secret-files.ts';
import { fileVariable, valueAt, variablesOf } from './setting.ts';
import { SETTINGS } from './settings.ts';

/** All problems of the configuration, one sentence each. */
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

/** The last source that gives a setting its value. */
export type SettingSource = 'file' | 'environment' | 'flag';

/** The sources of all settings that have one, by path; the others have their default. */
export type SettingSources = ReadonlyMap<string, SettingSource>;

/** The configuration, and the remaining arguments of the command line. */
export interface LoadedConfig extends Pick<CommandLine, 'words' | 'flags'> {
  readonly config: Config;
  readonly sources: SettingSources;
  /** Problems that do not prevent a start: unknown `CHANCERY_*` variables. */
  readonly warnings: readonly string[];
}

export interface ConfigSources {
  readonly argv: readonly string[];
  readonly commandFlags?: CommandFlags;
  /**
   * The configuration flags of the command. With `none`, neither a file nor the environment is read. Default:
   * `server`.
   */
  readonly scope?: FlagScope;
  /** Default: the process environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the working directory of the process. */
  readonly cwd?: string;
}

/** A value of a setting, and where it is from. */
type Candidate = [place: SettingSource, source: string, value: unknown];

const FILE_NAME = 'chancery.config.json';

/**
 * Loads defaults, then the file, then the environment, then the flags. Synchronous, because it runs once, before
 * anything else.
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
  const line = parseCommandLine(sources.argv, scope, commandFlags, problems);
  const taken = flagsOfNpm(scope, commandFlags, line, env);
  if (taken !== null) problems.push(taken);
  const file =
    scope === 'none'
      ? new Map()
      : readFile(line.settings.get('config') || env['CHANCERY_CONFIG'], cwd, problems);

  const warnings = unknownVariables(env);
  const given = new Map<string, SettingSource>();
  for (const setting of SETTINGS) {
    const candidates: Candidate[] = [
      ['file', `${FILE_NAME}: ${setting.path}`, file.get(setting.path)],
      ...variablesOf(setting).map((name): Candidate => ['environment', name, env[name]]),
      ...secretsInFiles(setting, env, cwd, problems),
      ['flag', `--${setting.flag}`, setting.flag && line.settings.get(setting.flag)],
    ];
    for (const [place, source, value] of candidates) {
      // An empty variable counts as unset, except where empty is a value: a list without entries.
      const emptyList = value === '' && Array.isArray(setting.default);
      if (value === undefined || value === null) continue;
      if (value === '' && setting.neverEmpty)
        problems.push(`${source} is empty: give it a value, or leave it out`);
      if (value === '' && !emptyList) continue;
      try {
        put(values, setting.path, setting.read(value, cwd));
        given.set(setting.path, place);
      } catch (error) {
        problems.push(`${source} ${error instanceof Error ? error.message : error}`);
      }
    }
    if (setting.offFlag && line.settings.has(setting.offFlag.name)) {
      put(values, setting.path, false);
      given.set(setting.path, 'flag');
    }
  }

  if (problems.length > 0) throw new ConfigError(problems);
  return {
    config: deepFreeze(values) as unknown as Config,
    sources: given,
    words: line.words,
    flags: line.flags,
    warnings,
  };
}

/** The configuration for display: secrets, and passwords in URLs, are masked. */
export function presentConfig(config: Config): Record<string, unknown> {
  const shown = structuredClone(config) as unknown as Record<string, unknown>;
  for (const setting of SETTINGS) {
    if (!setting.secret) continue;
    const value = valueAt(shown, setting.path);
    const isUrl = /^(?:database|files)/.test(setting.path);
    const masked = (text: string) => (isUrl ? maskedUrl(text) : '********');
    if (typeof value === 'string') put(shown, setting.path, masked(value));
    else if (Array.isArray(value)) put(shown, setting.path, value.map(masked));
  }
  return shown;
}

// A password ends at the last @ of its place, and PostgreSQL accepts it as a parameter too.
function maskedUrl(url: string): string {
  return url
    .replace(/(:\/\/[^:/?#@]*:)[^/?#]*@/, '$1********@')
    .replace(/([?&]password=)[^&]*/gi, '$1********');
}

/** The file's settings by path. Keys may be written `snake_case` too. */
function readFile(named: string | undefined, cwd: string, problems: string[]): Map<string, unknown> {
  const path = resolve(cwd, named || FILE_NAME);
  const found = new Map<string, unknown>();
  if (!named && !existsSync(path)) return found;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    problems.push(unreadable(path, error));
    return found;
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    problems.push(`${path} is not JSON: ${error instanceof Error ? error.message : error}`);
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
      const key = prefix + camelCase(written);
      if (paths.has(key)) found.set(key, value);
      else if (prefix === '' && groups.has(key) && isRecord(value)) walk(value, `${key}.`);
      else if (written !== '$schema')
        problems.push(
          `${path}: "${prefix}${written}" is not a setting${suggest(key, [...paths, ...groups]) || elsewhere(written, paths)}`,
        );
    }
  };
  walk(content, '');
  return found;
}

function unreadable(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const remedy =
    'Name a configuration file with --config <file> or CHANCERY_CONFIG, or leave both out to use ' +
    `${FILE_NAME} in the working directory if there is one`;
  if (code === 'ENOENT' || code === 'ENOTDIR') return `${path} does not exist. ${remedy}`;
  if (code === 'EISDIR') return `${path} is a directory, not a file. ${remedy}`;
  return `${path} cannot be read: ${error instanceof Error ? error.message : error}`;
}

// Finds a setting written in the wrong group, or without its group.
function elsewhere(written: string, paths: Iterable<string>): string {
  const lastOf = (path: string) => path.slice(path.lastIndexOf('.') + 1);
  const byLast = new Map([...paths].map((path) => [lastOf(path), path]));
  const meant = byLast.get(camelCase(written)) ?? byLast.get(nearMiss(written, byLast.keys()) ?? '');
  return meant ? `. Did you mean ${meant}?` : '';
}

function camelCase(written: string): string {
  return written.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set(
    SETTINGS.flatMap((setting) => {
      const names = variablesOf(setting);
      return setting.secret ? [...names, ...names.map(fileVariable)] : names;
    }),
  );
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

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
