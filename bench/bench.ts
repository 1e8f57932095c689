/**
 * `npm run bench [-- --rows 100000 --seconds 2 --runs 5 --only get,list --engine postgres --against COMMIT]`
 *
 * Starts a server with the bundled Ticket doctype, fills it, and sends the same requests to it and to the floor
 * (bench/floor.ts) in turns, 32 connections on loopback. With `--against` the server of another commit takes its
 * turn too. A first round warms up and does not count.
 *
 * The figure that survives a noisy machine is CPU per request as a ratio to the floor's, of turns next to each
 * other. Each figure is the median and the best of all rounds; the noise is half the distance of the quartiles of
 * the ratio. With `--engine postgres` the bench starts a PostgreSQL with fsync on, and its CPU counts.
 * `--json FILE` writes the results; `npm run bench:readme` puts them into bench/README.md.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DURABLE, startPostgres } from '../test/support/embedded-postgres.ts';
import { checkout } from './checkout.ts';
import { pin } from './pin.ts';
import { report } from './results.ts';
import { cellsOf, compare, HEAD, type Result } from './rounds.ts';
import { seed } from './seed.ts';
import { type Served, startFloor, startServer } from './servers.ts';
import { workloads } from './workloads.ts';

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '2' },
    runs: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    engine: { type: 'string', default: 'sqlite' },
    against: { type: 'string' },
    json: { type: 'string' },
  },
});
const rows = Number(flags.rows);
const only = new Set(flags.only.split(',').filter((name) => name !== ''));

const postgres = flags.engine === 'postgres' ? await startPostgres(DURABLE) : null;
const database = postgres?.pid;
const scratch = mkdtempSync(join(tmpdir(), 'chancery-bench-'));
const other = flags.against ? checkout(flags.against, join(scratch, 'checkout')) : null;
const running: Served[] = [];
// The load runs on another core than the servers, where there is one.
pin(process.pid, 1);

try {
  const seeded = await seed(scratch, postgres?.url ?? null, rows);
  const names = workloads(seeded).map(({ name }) => name);
  const unknown = [...only].filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`No workload ${unknown.join(', ')}. There are: ${names.join(', ')}`);
  const floor = await begin(startFloor(seeded, { database }));
  const coldStart = performance.now();
  const server = await begin(startServer(seeded, { database }));
  const cold = performance.now() - coldStart;
  const sides = [{ name: 'now', server, workloads: workloads(seeded) }];
  if (other) {
    const itsScratch = join(scratch, 'other');
    mkdirSync(itsScratch);
    const itsSeed = other.seed(itsScratch, postgres ? `${postgres.url}&schema=other` : null, rows);
    const itsServer = await begin(startServer(itsSeed, { checkout: other.directory, database }));
    sides.push({ name: String(flags.against), server: itsServer, workloads: workloads(itsSeed) });
  }
  const idle = server.rss();
  const results: Result[] = [];
  for (const name of names) {
    if (only.size > 0 && !only.has(name)) continue;
    results.push(...(await compare(name, sides, floor, Number(flags.runs), Number(flags.seconds))));
  }
  const { engine, runs, seconds } = flags;
  const [after, its] = [server.rss(), floor.rss()];
  const found = {
    title: `${engine}, ${rows} tickets, ${runs} rounds of ${seconds} s each, 32 connections`,
    head: HEAD,
    rows: results.map(cellsOf),
    notes: [
      `First authenticated reply ${cold.toFixed(0)} ms after the start.`,
      `Resident memory: ${idle} MB idle, ${after} MB after all of the above (floor ${its} MB).`,
    ],
    results,
  };
  report(found, flags.json);
} finally {
  for (const server of running) await server.stop();
  await postgres?.stop();
  other?.remove();
  rmSync(scratch, { recursive: true, force: true });
}

async function begin(starting: Promise<Served>): Promise<Served> {
  const server = await starting;
  running.push(server);
  pin(server.pid, 0);
  return server;
}
