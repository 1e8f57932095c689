/**
 * `npm run bench:growth [-- --sizes 10,100,1000,10000,100000 --seconds 1 --runs 3 --engine postgres --json FILE]`
 *
 * CPU per request of each verb as the number of tickets grows, the best of all runs, and the steps from one size
 * to the next that cost more than 1.5 times what the work grows: a cliff. A page or an offset of ten times the
 * rows may take ten times as long; a get or a create may not. `test/document/growth.test.ts` counts statements
 * and rows instead, in CI.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DURABLE, startPostgres } from '../test/support/embedded-postgres.ts';
import { type MakeRequest, measure } from './load.ts';
import { pin } from './pin.ts';
import { report } from './results.ts';
import { type Seeded, seed } from './seed.ts';
import { startServer } from './servers.ts';
import { workloads } from './workloads.ts';

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10,100,1000,10000,100000' },
    seconds: { type: 'string', default: '1' },
    runs: { type: 'string', default: '3' },
    engine: { type: 'string', default: 'sqlite' },
    json: { type: 'string' },
  },
});
const sizes = flags.sizes.split(',').map(Number);

/** A step may cost this many times the growth of the work. */
const CLIFF = 1.5;
/** The largest page, and the largest capped count. */
const LARGEST = 10_000;

const constant = () => 1;
const proportional = (size: number) => size;
const upToLargest = (size: number) => Math.min(size, LARGEST);

/** How the work of each verb grows with the number of tickets. */
const WORK: Readonly<Record<string, (size: number) => number>> = {
  get: constant,
  list: constant,
  filter: constant,
  create: constant,
  update: constant,
  'deep (offset)': proportional,
  'list and count': upToLargest,
  'filter and count': upToLargest,
  'page of all': upToLargest,
};

const costs = new Map<string, number[]>(Object.keys(WORK).map((verb) => [verb, []]));
const postgres = flags.engine === 'postgres' ? await startPostgres(DURABLE) : null;
const scratch = mkdtempSync(join(tmpdir(), 'chancery-growth-'));
pin(process.pid, 1);
try {
  for (const size of sizes) await measureSize(size);
} finally {
  await postgres?.stop();
  rmSync(scratch, { recursive: true, force: true });
}
report(
  {
    title: `${flags.engine}: CPU microseconds per request by the number of tickets, best of ${flags.runs} runs`,
    head: ['verb', ...sizes.map(String)],
    rows: [...costs].map(([verb, found]) => [verb, ...found]),
    notes: cliffs(),
  },
  flags.json,
);

async function measureSize(size: number): Promise<void> {
  const place = join(scratch, String(size));
  mkdirSync(place);
  const seeded = await seed(place, postgres && `${postgres.url}&schema=size${size}`, size);
  const server = await startServer(seeded, { database: postgres?.pid });
  pin(server.pid, 0);
  try {
    for (const [verb, make] of requests(seeded, size)) {
      await measure(server, make, Number(flags.seconds) / 2);
      let best = Number.POSITIVE_INFINITY;
      for (let run = 0; run < Number(flags.runs); run += 1) {
        const { cpuMicros, failed } = await measure(server, make, Number(flags.seconds));
        if (failed > 0) throw new Error(`${failed} requests of ${verb} failed`);
        best = Math.min(best, cpuMicros);
      }
      costs.get(verb)?.push(best);
    }
  } finally {
    await server.stop();
  }
}

function requests(seeded: Seeded, size: number): Map<string, MakeRequest> {
  const read = (path: string) => (): ReturnType<MakeRequest> => ({ method: 'GET', path });
  const known = workloads(seeded).filter(({ name }) => Object.hasOwn(WORK, name));
  const open = encodeURIComponent(JSON.stringify([['status', '=', 'Open']]));
  const page = '/api/v2/document/Ticket?limit=20&include=count';
  const all = Math.min(size, LARGEST);
  return new Map([
    ...known.map(({ name, ours }) => [name, ours] as const),
    ['list and count', read(page)],
    ['filter and count', read(`${page}&filters=${open}`)],
    ['page of all', read(`/api/resource/Ticket?fields=["name","subject","status"]&limit_page_length=${all}`)],
  ]);
}

/** A line for each step that is too high, or one that says there is none. */
function cliffs(): string[] {
  const lines = [...costs].flatMap(([verb, found]) =>
    found.flatMap((cost, at) => {
      const [from = 0, to = 0, before = cost] = [sizes[at - 1], sizes[at], found[at - 1]];
      const growth = (WORK[verb]?.(to) ?? 1) / (WORK[verb]?.(from) ?? 1);
      if (at === 0 || cost / before <= CLIFF * growth) return [];
      return [`Cliff: ${verb} costs ${(cost / before).toFixed(1)} times as much with ${to} as with ${from}.`];
    }),
  );
  return lines.length > 0 ? lines : ['No cliff.'];
}
