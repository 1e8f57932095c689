/**
 * `npm run bench [-- --rows 100000 --seconds 4 --runs 3 --only get,list --engine postgres]`
 *
 * Starts a server with the bundled Ticket doctype, fills it, and sends the same requests to it and to the floor
 * (bench/floor.ts) in turn, 32 connections on loopback. Prints requests/s, latency, CPU microseconds of the server
 * process per request, and the ratio of that CPU to the floor's: the figure that survives a noisy machine. With
 * `--engine postgres` it starts a PostgreSQL of its own, with fsync on.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/embedded-postgres.ts';
import { type Measurement, measure, median } from './load.ts';
import { pin } from './pin.ts';
import { seed } from './seed.ts';
import { type Served, startFloor, startServer } from './servers.ts';
import { type Workload, workloads } from './workloads.ts';

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '4' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    engine: { type: 'string', default: 'sqlite' },
  },
});
const rows = Number(flags.rows);
const seconds = Number(flags.seconds);
const runs = Number(flags.runs);
const only = new Set(flags.only.split(',').filter((name) => name !== ''));

const postgres = flags.engine === 'postgres' ? await startPostgres(true) : null;
const scratch = mkdtempSync(join(tmpdir(), 'chancery-bench-'));
// The load runs on another core than the server, where there is one.
pin(process.pid, 1);

try {
  const seeded = await seed(scratch, postgres?.url ?? null, rows);
  const floor = await startFloor(seeded);
  const coldStart = performance.now();
  const server = await startServer(seeded);
  const cold = performance.now() - coldStart;
  pin(server.pid, 0);
  pin(floor.pid, 0);
  const idle = server.rss();
  console.log(`${rows} tickets, ${runs} runs of ${seconds} s each, 32 connections, ${flags.engine}\n`);
  console.log(
    '| workload | req/s | p50 ms | p99 ms | CPU us/request | floor req/s | floor CPU us | ratio | failed |',
  );
  console.log('|---|--:|--:|--:|--:|--:|--:|--:|--:|');
  for (const workload of workloads(seeded)) {
    if (only.size > 0 && !only.has(workload.name)) continue;
    await compare(workload, server, floor);
  }
  console.log(`\ncold start to first authenticated get: ${cold.toFixed(0)} ms`);
  console.log(`resident memory: ${idle} MB idle, ${server.rss()} MB after all of the above`);
  await server.stop();
  await floor.stop();
} finally {
  await postgres?.stop();
  rmSync(scratch, { recursive: true, force: true });
}

async function compare(workload: Workload, server: Served, floor: Served): Promise<void> {
  const ours: Measurement[] = [];
  const floors: Measurement[] = [];
  for (let run = 0; run < runs; run += 1) {
    ours.push(await measure(server, workload.ours, seconds));
    if (workload.floor) floors.push(await measure(floor, workload.floor, seconds));
  }
  const us = median(ours, (run) => run.cpuMicros);
  const them = floors.length > 0 ? median(floors, (run) => run.cpuMicros) : null;
  const cells = [
    workload.name,
    median(ours, (run) => run.perSecond).toFixed(0),
    median(ours, (run) => run.p50).toFixed(1),
    median(ours, (run) => run.p99).toFixed(1),
    us.toFixed(1),
    floors.length > 0 ? median(floors, (run) => run.perSecond).toFixed(0) : '',
    them?.toFixed(1) ?? '',
    them ? (us / them).toFixed(2) : '',
    String([...ours, ...floors].reduce((sum, run) => sum + run.failed, 0)),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
