import { DEFAULT_CONFIG } from './config.ts';
import { SETTINGS, type Setting } from './settings.ts';

/** A flag of the command line that sets something of the configuration. */
export interface ConfigFlag {
  /** Without `--`. */
  readonly name: string;
  /** Whether a value follows. */
  readonly takes: 'string' | 'boolean';
  readonly help: string;
  /** The default, for a person. */
  readonly fallback?: string;
  /** Whether `--name=` means something: a list without entries. */
  readonly mayBeEmpty?: boolean;
  /** Whether it matters to a server alone, and not to a command on its site. */
  readonly forServer?: boolean;
}

/** Which of them a command knows: those of a server, those that say which site is meant, or none. */
export type FlagScope = 'server' | 'site' | 'none';

const CONFIG_FLAGS: readonly ConfigFlag[] = [
  ...SETTINGS.flatMap((setting) => (setting.flag ? [flagOf(setting, setting.flag)] : [])),
  {
    name: 'config',
    takes: 'string',
    help: 'configuration file',
    fallback: 'chancery.config.json in the working directory',
  },
  { name: 'no-worker', takes: 'boolean', help: 'do not deliver webhooks from this process', forServer: true },
  { name: 'no-admin-ui', takes: 'boolean', help: 'do not serve the admin UI', forServer: true },
];

/** The flags of a scope, in the order in which they are shown. */
export function configFlags(scope: FlagScope): readonly ConfigFlag[] {
  if (scope === 'none') return [];
  return CONFIG_FLAGS.filter(({ forServer }) => scope === 'server' || !forServer);
}

function flagOf({ path, help, unset, forServer }: Setting, name: string): ConfigFlag {
  const value = new Map<string, unknown>(Object.entries(DEFAULT_CONFIG)).get(path);
  return {
    name,
    takes: 'string',
    help,
    fallback: unset ?? String(value),
    mayBeEmpty: Array.isArray(value),
    ...(forServer ? { forServer } : {}),
  };
}
