import { examineUpgrade } from '../site/doctor/examine-upgrade.ts';
import { backupPlace } from './backup-place.ts';
import type { Command } from './command.ts';
import { renderFinding } from './render-finding.ts';
import { renderPlan } from './render-plan.ts';

export const upgradeCommand: Command = {
  help: 'tell what the first start of this version changes, how long it takes, and whether there is a backup',
  usage: ['--check [--to <place>] [--own-backup] [--json]'],
  async run({ config, flags, warnings, print }) {
    const isNamed = flags['to'] !== undefined || config.backup.to !== null;
    const report = await examineUpgrade(config, {
      backups: isNamed ? backupPlace(config, 'to', flags['to']) : null,
      ownBackup: flags['own-backup'] === true,
      warnings,
    });
    const { ready, findings, plan } = report;
    if (flags['json']) {
      print(JSON.stringify(report, null, 2));
      return ready ? 0 : 1;
    }
    for (const finding of findings) for (const line of renderFinding(finding)) print(line);
    if (plan) for (const line of ['', ...renderPlan(plan)]) print(line);
    print('');
    print(ready ? 'Ready for the first start of this version.' : 'Not ready: see each problem above.');
    return ready ? 0 : 1;
  },
};
