/**
 * `npm run bench:large [-- --sizes 1000000,10000000 --samples 30 --json FILE --database postgres://… --pid PID --fill]`
 *
 * What each verb costs on large tables of PostgreSQL: wall time and CPU of single requests, one after the other.
 * `--database` names a server whose filled schemas are used again, `--pid` the process above it; `--fill` only
 * fills them. Ten million tickets take about 10 GB. The last column continues the growth from one size to the next.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DURABLE, startPostgres } from '../test/support/embedded-postgres.ts';
import { largeRequests } from './large-requests.ts';
import { fillTickets, openFilled, type Place } from './large-seed.ts';
import { quantile } from './load.ts';
import { report } from './results.ts';
import { type Served, serve } from './servers.ts';

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000000,10000000' },
    samples: { type: 'string', default: '30' },
    database: { type: 'string' },
    pid: { type: 'string' },
    fill: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const sizes = flags.sizes.split(',').map(Number);
const samples = Number(flags.samples);
/** A verb is measured for so long at most, seconds. */
const PATIENCE = 60;

interface Cost {
  /** Milliseconds, the median. */
  readonly wall: number;
  /** CPU of the server and the database, milliseconds, the mean. */
  readonly cpu: number;
  readonly note: string;
}

const costs = new Map<string, (Cost | null)[]>();
const postgres = flags.database ? null : await startPostgres(DURABLE);
// A database that is used again belongs to one place of files.
const scratch = flags.database
  ? join(tmpdir(), 'chancery-large')
  : mkdtempSync(join(tmpdir(), 'chancery-large-'));
try {
  for (const [at, size] of sizes.entries()) await measureSize(size, at);
} finally {
  await postgres?.stop();
  if (!flags.database) rmSync(scratch, { recursive: true, force: true });
}
if (!flags.fill) report(table(), flags.json);

async function measureSize(size: number, at: number): Promise<void> {
  const place = join(scratch, String(size));
  mkdirSync(place, { recursive: true });
  const url = new URL(flags.database ?? postgres?.url ?? '');
  url.searchParams.set('schema', `large${size}`);
  const filled = await openFilled(place, url.href);
  await fillTickets(filled.site, size);
  if (flags.fill) return filled.close();
  const server = await serve(filled, '/api/resource/Ticket/copy-1', {
    database: postgres?.pid ?? (Number(flags.pid) || undefined),
  });
  try {
    await measureVerbs(server, filled, size, at);
  } finally {
    await server.stop();
    await filled.close();
  }
}

async function measureVerbs(server: Served, place: Place, size: number, at: number): Promise<void> {
  for (const step of largeRequests(place, size)) {
    if ('prepare' in step) {
      const began = performance.now();
      await step.prepare();
      note(at, step.name, { wall: performance.now() - began, cpu: Number.NaN, note: '' });
      continue;
    }
    const times: number[] = [];
    let failed = '';
    const before = server.cpuMicros();
    const began = performance.now();
    while (times.length < samples && performance.now() - began < 1_000 * PATIENCE) {
      const { method, path, body } = step.make();
      const from = performance.now();
      const reply = await fetch(server.url + path, {
        method,
        headers: { authorization: server.authorization, 'content-type': 'application/json' },
        ...(body !== undefined && { body: String(body) }),
      });
      await reply.arrayBuffer();
      if (!reply.ok) failed = `, ${reply.status}`;
      times.push(performance.now() - from);
    }
    const cpu = (server.cpuMicros() - before) / 1_000 / times.length;
    note(at, step.name, { wall: quantile(times, 0.5), cpu, note: failed });
  }
}

function note(at: number, name: string, cost: Cost): void {
  console.log(`${sizes[at]} ${name}: ${cost.wall.toFixed(1)} ms${cost.note}`);
  const found = costs.get(name) ?? sizes.map(() => null);
  found[at] = cost;
  costs.set(name, found);
}

function table() {
  return {
    title: `postgres: milliseconds of one request, the median (CPU of both servers, the mean); ${samples} requests or ${PATIENCE} s`,
    head: ['verb', ...sizes.map((size) => size.toLocaleString('en')), 'ten times as many'],
    rows: [...costs].map(([name, found]) => [name, ...found.map(words), next(found)]),
  };
}

function words(cost: Cost | null): string {
  if (!cost) return '';
  const cpu = Number.isNaN(cost.cpu) ? '' : ` (${digits(cost.cpu)})`;
  return `${digits(cost.wall)}${cpu}${cost.note}`;
}

/** Less than twice the time for ten times the rows is taken for noise and deeper indexes. */
function next(found: readonly (Cost | null)[]): string {
  const [before, last] = found.slice(-2);
  if (!before || !last) return '';
  const growth = last.wall / before.wall;
  return `about ${digits(growth < 2 ? last.wall : last.wall * growth)}`;
}

function digits(millis: number): string {
  return millis >= 100 ? Math.round(millis).toLocaleString('en') : millis.toPrecision(2);
}
