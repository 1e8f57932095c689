import { audit, COMMAND_LINE } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import type { Context } from '../document/contract.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import type { Observation } from '../kernel/observation.ts';
import { aboutTime } from '../kernel/quantity.ts';
import { needsLoss, planSite } from '../site/schema/migration/plan-site.ts';
import { openSite } from '../site/start/open-site.ts';
import type { Command } from './command.ts';
import { credentials } from './credentials.ts';
import { renderPlan } from './render-plan.ts';

export const migrateCommand: Command = {
  help: 'bring the database up to date with this version and its apps, without serving',
  usage: ['[--plan] [--allow-data-loss]'],
  async run({ config, flags, print }) {
    const dataLoss = flags['allow-data-loss'] === true;
    if (flags['plan'] || dataLoss) {
      const plan = await planSite(config);
      for (const line of renderPlan(plan)) print(line);
      if (needsLoss(plan) && !dataLoss) {
        print('');
        print('The migration needs --allow-data-loss: stored values do not fit a definition.');
      }
      if (flags['plan']) return 0;
      print('');
    }
    let tables = 0;
    let steps = 0;
    const site = await openSite(config, {
      planEverything: true,
      dataLoss,
      observe: (observation) => {
        const part = describePart(observation);
        if (part !== null) print(part);
        const step = describeStep(observation);
        if (step !== null) {
          steps += 1;
          print(step);
        }
        if (observation.kind !== 'schema_changed') return;
        tables += 1;
        print(`${observation.doctype}: ${observation.changes} changes`);
      },
    });
    const made = site.firstStart;
    if (tables + steps > 0 || dataLoss) {
      const details = { tables, steps, allow_data_loss: dataLoss };
      const tell = (ctx: Context) => audit(ctx, { event: 'site_migrated', details });
      await unitOfWork(site, ADMINISTRATOR, tell, COMMAND_LINE);
    }
    await site.close();
    print(tables + steps === 0 ? 'Everything was up to date.' : `${tables} tables changed.`);
    for (const line of credentials(made)) print(line);
    return 0;
  },
};

/** The progress of a long migration, before each part. */
function describePart(observation: Observation): string | null {
  if (observation.kind === 'patching')
    return `Patch ${observation.patch}: ${observation.step} of ${observation.steps}`;
  if (observation.kind !== 'migrating') return null;
  const { table, rows, step, steps, secondsLeft } = observation;
  const left = aboutTime(secondsLeft);
  return `${table}: ${rows.toLocaleString('en-US')} rows, step ${step} of ${steps}, ${left} left`;
}

function describeStep(observation: Observation): string | null {
  if (observation.kind === 'patch_applied') return `Patch ${observation.patch}: run`;
  if (observation.kind !== 'fixtures_applied') return null;
  const { file, created, updated } = observation;
  return `Fixtures ${file}: ${created} documents created, ${updated} updated`;
}
