import type { NamedSetting } from './setting.ts';
import { SETTINGS } from './settings.ts';

/** A command-line flag for a setting. */
export interface ConfigFlag {
  /** Without `--`. */
  readonly name: string;
  /** The type of the value. */
  readonly takes: 'string' | 'boolean';
  readonly help: string;
  /** The default in words. */
  readonly fallback?: string;
  /** True when `--name=` is valid: an empty list. */
  readonly mayBeEmpty?: boolean;
  /** True when only servers use it, and not commands on their sites. */
  readonly forServer?: boolean;
}

/** The flags that a command accepts: all flags of a server, the flags that identify the site, or none. */
export type FlagScope = 'server' | 'site' | 'none';

const CONFIG_FLAGS: readonly ConfigFlag[] = [
  ...SETTINGS.flatMap((setting) => (setting.flag ? [flagOf(setting, setting.flag)] : [])),
  {
    name: 'config',
    takes: 'string',
    help: 'configuration file',
    fallback: 'chancery.config.json in the working directory',
  },
  ...SETTINGS.flatMap(({ offFlag, forServer = false }) =>
    offFlag ? [{ ...offFlag, takes: 'boolean', forServer } as const] : [],
  ),
];

/** The flags of a scope, in display order. */
export function configFlags(scope: FlagScope): readonly ConfigFlag[] {
  if (scope === 'none') return [];
  return CONFIG_FLAGS.filter(({ forServer }) => scope === 'server' || !forServer);
}

function flagOf(setting: NamedSetting, name: string): ConfigFlag {
  const { help, unset = String(setting.default), forServer = false } = setting;
  return {
    name,
    takes: 'string',
    help,
    fallback: unset,
    mayBeEmpty: Array.isArray(setting.default),
    forServer,
  };
}
