import { presentConfig } from '../config/load-config.ts';
import type { Command } from './command.ts';

export const configCommand: Command = {
  help: 'print the effective configuration, secrets masked',
  usage: '[--print]',
  flags: { print: 'boolean' },
  async run({ config, print }) {
    print(JSON.stringify(presentConfig(config), null, 2));
    return 0;
  },
};
