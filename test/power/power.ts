/**
 * `npm run power -- --instants 500 --rounds 12 --seed 1`: lets the power fail at so many instants of one run, and
 * starts a site on what is left. `--omissions` shows that the trial notices syncs that are left out. Exits with 1 if
 * a promise was broken, or an omission was not noticed.
 */
import { parseArgs } from 'node:util';
import { canRecord, failAtInstants, OMISSIONS, recordWork } from './trial.ts';

const { values } = parseArgs({
  options: {
    instants: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
    omissions: { type: 'boolean', default: false },
  },
});
if (!canRecord()) {
  console.log('skipped: this needs Linux and gcc');
  process.exit(0);
}
const first = Number(values.seed);
const seeds = Array.from({ length: Number(values.instants) }, (_, index) => first + index);
const changes = recordWork(Number(values.rounds));
const syncs = changes.filter(({ kind }) => kind === 'sync' || kind === 'entries').length;
const promises = changes.filter(({ kind }) => kind === 'promise').length;
console.log(`recorded ${changes.length} changes, ${syncs} of them syncs, and ${promises} promises`);
if (values.omissions) {
  for (const omission of OMISSIONS) {
    const [failure] = await failAtInstants(changes, { seeds, omission, enough: 1 });
    console.log(
      `${failure ? 'noticed' : 'MISSED '}  ${omission.name}${failure ? `: ${failure.reason}` : ''}`,
    );
    if (!failure) process.exitCode = 1;
  }
} else {
  const failures = await failAtInstants(changes, { seeds }, (done, found) => {
    if (done % 50 === 0) console.log(`${done} instants, ${found.length} broken promises`);
  });
  for (const { instant, seed, reason } of failures)
    console.log(`instant ${instant}, seed ${seed}: ${reason}`);
  console.log(`${seeds.length} instants: ${failures.length} broken promises`);
  if (failures.length > 0) process.exitCode = 1;
}
