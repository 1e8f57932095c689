import type { Config } from '../config/config.ts';
import { presentConfig } from '../config/load-config.ts';
import { UnusableDatabase } from '../db/unusable.ts';
import { loadStoredSettings } from '../site/settings/system-settings.ts';
import { StartError } from '../site/start-error.ts';
import type { Command } from './command.ts';

export const configCommand: Command = {
  help: 'print the configuration in force, secrets masked, and what System Settings change of it',
  usage: ['[--print]'],
  scope: 'server',
  async run({ config, print }) {
    const changed = await changedBySettings(config);
    print(JSON.stringify({ ...presentConfig(config), ...(changed && { systemSettings: changed }) }, null, 2));
    return 0;
  },
};

/**
 * The overrides in the site's System Settings, by setting name. Null without a site; null with a warning when
 * the site is unreadable.
 */
async function changedBySettings(config: Config): Promise<Record<string, unknown> | null> {
  try {
    const read = await loadStoredSettings(config);
    return read && Object.fromEntries(read.given.map((name) => [name, shown(read.settings[name])]));
  } catch (error) {
    if (!(error instanceof StartError || error instanceof UnusableDatabase)) throw error;
    process.stderr.write(`Warning: System Settings cannot be read. ${error.message}\n`);
    return null;
  }
}

function shown(value: unknown): unknown {
  return value instanceof Set ? [...value] : value;
}
