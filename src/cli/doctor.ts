import { examineSite } from '../site/doctor/doctor.ts';
import type { Command } from './command.ts';
import { renderFinding } from './render-finding.ts';

export const doctorCommand: Command = {
  help: 'check the health of the site: durability, indexes, slow queries, secret key, disk space, webhooks; --deep reads all data and files',
  usage: ['[--deep] [--json]'],
  async run({ config, flags, print }) {
    const findings = await examineSite(config, undefined, flags['deep'] === true);
    const healthy = findings.every(({ state }) => state !== 'problem');
    if (flags['json']) print(JSON.stringify({ healthy, findings }, null, 2));
    else for (const finding of findings) for (const line of renderFinding(finding)) print(line);
    return healthy ? 0 : 1;
  },
};
