import { examineSite } from '../site/doctor/doctor.ts';
import type { Finding } from '../site/doctor/finding.ts';
import type { Command } from './command.ts';

export const doctorCommand: Command = {
  help: 'check the health of the site: durability, indexes, slow queries, secret key, disk space, webhooks; --deep reads all data and files',
  usage: ['[--deep] [--json]'],
  async run({ config, flags, print }) {
    const findings = await examineSite(config, undefined, flags['deep'] === true);
    const healthy = findings.every(({ state }) => state !== 'problem');
    if (flags['json']) print(JSON.stringify({ healthy, findings }, null, 2));
    else for (const finding of findings) for (const line of render(finding)) print(line);
    return healthy ? 0 : 1;
  },
};

function render({ check, state, message, remedy }: Finding): string[] {
  const first = `${state.padEnd(7)}  ${check.padEnd(12)}  ${message}`;
  return remedy === undefined ? [first] : [first, `${' '.repeat(23)}-> ${remedy}`];
}
