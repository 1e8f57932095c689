/**
 * `npm run soak -- --minutes 120 [--database postgres] [--clients 6]`: one server under a steady load. At the end,
 * what is stored and delivered must be exactly what the clients were told, and nothing may grow that does not
 * grow with the data.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CACHE_KIB } from '../../src/db/sqlite/handle.ts';
import { Clients } from '../chaos/clients.ts';
import { decide, prepare } from '../chaos/verdict.ts';
import { KEY } from '../chaos/world.ts';
import { startPostgres } from '../support/embedded-postgres.ts';
import { startServerProcess } from '../support/server-process.ts';
import { status } from '../torture/behaviours.ts';
import { PERSISTENT_WEBHOOKS } from '../torture/persistent-webhooks.ts';
import { accept, Receiver } from '../torture/receiver.ts';
import { type Point, slopeOf } from './slope.ts';

/** Milliseconds between two samples. */
const SAMPLE = 5_000;
/** Caches fill and code is compiled in the first part of a run, which tells nothing of later growth. */
const WARM_UP = 0.25;
/** The most that a value may grow in an hour, with 95 % confidence. */
const MOST_GROWTH: Readonly<Record<string, number>> = {
  'resident MB': 20,
  'heap MB': 10,
  'external MB': 10,
  descriptors: 5,
  'log MB': 30,
  'lag p99 ms': 20,
};

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    database: { type: 'string', default: 'sqlite' },
    clients: { type: 'string', default: '6' },
  },
});
const minutes = Number(flags.minutes);
const began = performance.now();
const say = (line: string) =>
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}`);

const root = mkdtempSync(join(tmpdir(), 'chancery-soak-'));
const data = join(root, 'data');
const receiver = await Receiver.start();
const postgres = flags.database === 'postgres' ? await startPostgres() : null;
const server = await startServerProcess(
  ['--data', data, '--apps=', ...(postgres ? ['--database', postgres.url] : [])],
  {
    env: { CHANCERY_ADMIN_API_KEY: KEY, ...PERSISTENT_WEBHOOKS },
    deadline: (minutes + 30) * 60_000,
  },
);
const faults: string[] = [];
try {
  faults.push(...(await run()));
} catch (error) {
  faults.push(`the run broke off: ${error instanceof Error ? error.stack : error}`);
}
await server.end('SIGTERM');
await postgres?.stop();
await receiver.close();
if (faults.length === 0) rmSync(root, { recursive: true });
for (const fault of faults.slice(0, 20)) console.log(`FAULT ${fault}`);
say(faults.length === 0 ? 'no fault' : `${faults.length} faults; the data is in ${root}`);
process.exit(faults.length === 0 ? 0 : 1);

async function run(): Promise<string[]> {
  const clients = new Clients(server.url);
  const secret = await prepare(clients, receiver);
  let calls = 0;
  receiver.decide = () => {
    calls += 1;
    return calls % 11 === 0 ? status(500) : accept;
  };
  let isOver = false;
  const load = Array.from({ length: Number(flags.clients) }, (_, client) =>
    clients.run(client, () => isOver),
  );
  const series = new Map<string, Point[]>();
  const end = performance.now() + minutes * 60_000;
  const from = performance.now() + minutes * 60_000 * WARM_UP;
  for (let told = 0; performance.now() < end; await pause(SAMPLE)) {
    const values = await sample();
    const at = (performance.now() - from) / 3_600_000;
    if (at >= 0)
      for (const [name, value] of values) series.set(name, [...(series.get(name) ?? []), { at, value }]);
    if (performance.now() < told) continue;
    told = performance.now() + 60_000;
    say([...values].map(([name, value]) => `${name} ${value.toFixed(1)}`).join(', '));
  }
  isOver = true;
  await Promise.all(load);
  return [...judgeGrowth(series), ...(await decide(clients, receiver, secret, say))];
}

async function sample(): Promise<ReadonlyMap<string, number>> {
  const reply = await fetch(`${server.url}/metrics`, { headers: { authorization: `token ${KEY}` } });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`/metrics answered ${reply.status}: ${text}`);
  const metric = (name: string) =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
  const megabytes = (name: string) => metric(name) / 1024 ** 2;
  return new Map([
    // The caches of the connections that read and write grow with the database, and then stay.
    [
      'resident MB',
      megabytes('process_resident_memory_bytes') - 2 * Math.min(CACHE_KIB / 1024, fileSize('')),
    ],
    ['heap MB', megabytes('nodejs_heap_size_used_bytes')],
    ['external MB', megabytes('nodejs_external_memory_bytes')],
    ['descriptors', readdirSync(`/proc/${processOf()}/fd`).length],
    ['log MB', fileSize('-wal')],
    ['lag p99 ms', metric('nodejs_eventloop_lag_seconds\\{quantile="0.99"\\}') * 1_000],
  ]);
}

/** Megabytes of a file of SQLite; 0 on PostgreSQL. */
function fileSize(suffix: '' | '-wal'): number {
  return (statSync(join(data, `chancery.db${suffix}`), { throwIfNoEntry: false })?.size ?? 0) / 1024 ** 2;
}

/** The process that serves: the child of the one that we started, or that one. */
function processOf(): number {
  const { pid = 0 } = server.child;
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  return Number(child) || pid;
}

function judgeGrowth(series: ReadonlyMap<string, readonly Point[]>): string[] {
  return [...series].flatMap(([name, points]) => {
    const slope = slopeOf(points);
    if (!slope) return [];
    const { perHour, least, most } = slope;
    const told = `${name} grows by ${perHour.toFixed(1)} an hour (${least.toFixed(1)} to ${most.toFixed(1)})`;
    say(told);
    return least > (MOST_GROWTH[name] ?? 0) ? [told] : [];
  });
}
