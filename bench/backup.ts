/**
 * `npm run bench:backup [-- --runs 7 --creates 1000 --json FILE]`
 *
 * What the continuous log costs the creation of a ticket on SQLite: two sites in this process, one of which sends its
 * changes to a directory, take turns of as many creations, 16 at once. The CPU is that of the whole process, with its
 * threads. A turn includes the segment of its last changes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import crm from '../apps/crm/app.ts';
import { ADMINISTRATOR } from '../src/access/user.ts';
import { DEFAULT_CONFIG } from '../src/config/config.ts';
import { createDocument } from '../src/document/verbs/create.ts';
import { unitOfWork } from '../src/document/write/unit-of-work.ts';
import { type OpenSite, openSite } from '../src/site/start/open-site.ts';
import { quantile } from './load.ts';
import { report } from './results.ts';

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '7' },
    creates: { type: 'string', default: '1000' },
    json: { type: 'string' },
  },
});
const runs = Number(flags.runs);
const creates = Number(flags.creates);
const AT_ONCE = 16;
const TICKET = {
  subject: 'The printer on the second floor',
  status: 'Open',
  priority: 'High',
  raised_by: 'someone@example.com',
  description: 'It makes a sound like a kettle and prints every page twice. '.repeat(3),
};

interface Turn {
  /** Microseconds for each creation. */
  readonly cpu: number;
  readonly wall: number;
}

async function turn(site: OpenSite): Promise<Turn> {
  const began = performance.now();
  const before = process.cpuUsage();
  let left = creates;
  const create = async () => {
    while (left > 0) {
      left -= 1;
      await unitOfWork(site, ADMINISTRATOR, (ctx) => createDocument(ctx, 'Ticket', { ...TICKET }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, create));
  const millis = performance.now() - began;
  // Longer than the pause between two segments: the last one is part of the turn that filled it.
  await new Promise((resolve) => setTimeout(resolve, 700));
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / creates, wall: (millis * 1000) / creates };
}

const scratch = mkdtempSync(join(tmpdir(), 'chancery-bench-backup-'));
const config = { ...DEFAULT_CONFIG, apps: [] };
const plain = await openSite({ ...config, data: join(scratch, 'plain') }, { apps: [crm] });
const backup = { ...DEFAULT_CONFIG.backup, to: join(scratch, 'backups') };
const followed = await openSite({ ...config, data: join(scratch, 'followed'), backup }, { apps: [crm] });
const turns: { plain: Turn; followed: Turn }[] = [];
for (let run = 0; run <= runs; run += 1) {
  // Which one is first changes, so that neither profits.
  const first = run % 2 === 0 ? await turn(plain) : null;
  const ours = await turn(followed);
  turns.push({ plain: first ?? (await turn(plain)), followed: ours });
}
await followed.close();
await plain.close();
rmSync(scratch, { recursive: true, force: true });
const counted = turns.slice(1);
const row = (what: 'cpu' | 'wall') => {
  const ratios = counted.map((one) => one.followed[what] / one.plain[what]);
  return [
    what,
    quantile(
      counted.map((one) => one.plain[what]),
      0.5,
    ),
    quantile(
      counted.map((one) => one.followed[what]),
      0.5,
    ),
    quantile(ratios, 0.5),
    Math.min(...counted.map((one) => one.followed[what])) /
      Math.min(...counted.map((one) => one.plain[what])),
    (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 2,
  ];
};
const head = ['us per creation', 'without', 'with', 'ratio: median', 'best', 'noise'];
report(
  {
    title: `the continuous log, ${runs} turns of ${creates} creations`,
    head,
    rows: [row('cpu'), row('wall')],
  },
  flags.json,
);
