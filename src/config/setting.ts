import { isRecord } from '../kernel/value.ts';

/**
 * The declaration of one setting. `Config`, the defaults, the checks of the file, the environment and the flags,
 * `--help`, System Settings and docs/configuration.md are derived from it.
 */
export interface Setting<T = unknown> extends SettingOptions<T> {
  readonly default: NoInfer<T>;
  /** Reads JSON or text. Throws an Error that states the expected value. `cwd` resolves relative paths. */
  readonly read: Read<T>;
  /** One line for `--help` and the docs. */
  readonly help: string;
}

/** Reads JSON or text. Throws an Error such as `must be true or false`. */
export type Read<T> = (value: unknown, cwd: string) => T;

interface SettingOptions<T> {
  /** The default in words, where the value alone does not show it. */
  readonly unset?: string;
  /** The flag, without `--`. A value follows it. */
  readonly flag?: string;
  /** A flag without a value that turns the setting off. */
  readonly offFlag?: { readonly name: string; readonly help: string };
  /** The flag exists for servers only, not for commands on their sites. */
  readonly forServer?: boolean;
  /** A second name of the environment variable. The regular name takes precedence. */
  readonly envAlias?: string;
  /** Masked wherever the configuration is shown. */
  readonly secret?: boolean;
  /** An empty text is an error. If it counted as unset, a new password or another database would be used. */
  readonly neverEmpty?: boolean;
  /** The field of System Settings that overrides the setting while the server runs. */
  readonly live?: {
    readonly field: string;
    /** Reads the field. Default: `read`, with -1 for 0, and Yes or No for a boolean. */
    readonly read?: (value: string | number) => T;
  };
}

/** A setting with its names. */
export interface NamedSetting<T = unknown> extends Setting<T> {
  /** The path in `Config` and in the file: `webhooks.allow`. */
  readonly path: string;
  /** The environment variable: `CHANCERY_WEBHOOKS_ALLOW`. */
  readonly variable: string;
}

/** The environment variables of a setting, the last one wins. */
export function variablesOf({ envAlias, variable }: NamedSetting): readonly string[] {
  return envAlias === undefined ? [variable] : [envAlias, variable];
}

/** The variable that names a file with a secret, in place of a variable with the secret itself. */
export function fileVariable(variable: string): string {
  return `${variable}_FILE`;
}

/** Options of a secret for which empty would be another value. */
export const SECRET = { secret: true, neverEmpty: true } as const;

/** A setting with a default value. */
export function setting<T>(
  value: NoInfer<T>,
  read: Read<T>,
  help: string,
  options: SettingOptions<T> = {},
): Setting<T> {
  return { default: value, read, help, ...options };
}

/** A setting whose default is null. */
export function optional<T>(read: Read<T>, help: string, options: SettingOptions<T | null> = {}) {
  return setting<T | null>(null, read, help, options);
}

/** Settings and groups of settings by name. */
interface SettingTree {
  readonly [name: string]: Setting | { readonly [name: string]: Setting };
}

type Named<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends Setting<infer T> ? NamedSetting<T> : Named<Tree[Name]>;
};

/** The values of a tree of settings. */
export type ValuesOf<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends Setting<infer T> ? T : ValuesOf<Tree[Name]>;
};

/** The same tree, each setting with its path and its environment variable. */
export function nameSettings<Tree extends SettingTree>(tree: Tree): Named<Tree> {
  return mapSettings(tree, (one, path) => ({ ...one, path, variable: envName(path) })) as Named<Tree>;
}

/** The default of each setting. */
export function defaultsOf<Tree extends SettingTree>(tree: Tree): ValuesOf<Tree> {
  return mapSettings(tree, (one) => one.default) as ValuesOf<Tree>;
}

/** The settings of a named tree, in order. */
export function listSettings(tree: object): NamedSetting[] {
  return Object.values(tree).flatMap((node) =>
    isSetting(node) ? [node as NamedSetting] : listSettings(node),
  );
}

/** The value at a path of one or two names. */
export function valueAt(values: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), values);
}

function mapSettings(tree: object, change: (setting: Setting, path: string) => unknown, prefix = ''): object {
  const entries = Object.entries(tree).map(([name, node]) => [
    name,
    isSetting(node) ? change(node, prefix + name) : mapSettings(node, change, `${prefix}${name}.`),
  ]);
  return Object.fromEntries(entries);
}

function isSetting(node: object): node is Setting {
  return 'read' in node && typeof node.read === 'function';
}

/** `webhooks.maxRetries` → `CHANCERY_WEBHOOKS_MAX_RETRIES`. */
function envName(path: string): string {
  const words = path.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`);
  return `CHANCERY_${words.toUpperCase()}`;
}
