/**
 * `npm run bench:webhooks [-- --engine postgres --deliveries 20000 --runs 3 --only latency --json FILE]`
 *
 * Webhooks on loopback: deliveries/s and CPU per delivery, signed, logged and durable, beside a floor of bare
 * sockets in the same run; from commit to wire; a healthy receiver beside 100 that never answer; what
 * webhooks add to a save, also when deliveries wait. The sender on one core, receivers on another, where
 * `taskset` exists.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DURABLE, startPostgres } from '../test/support/embedded-postgres.ts';
import { median } from './load.ts';
import { pin } from './pin.ts';
import { report } from './results.ts';
import { type BenchSite, startBenchSite } from './webhook-orders.ts';

const { values: flags } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    deliveries: { type: 'string', default: '20000' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string' },
    json: { type: 'string' },
  },
});
const PARTS = { saves, waiting, throughput, latency };
const parts = Object.entries(PARTS).filter(([name]) => !flags.only || flags.only === name);
if (parts.length === 0) throw new Error(`--only is one of ${Object.keys(PARTS).join(', ')}`);
const deliveries = Number(flags.deliveries);
const runs = Number(flags.runs);
const ORIGINS = 8;
const HANGING = 100;
/** A healthy receiver gets 200/s: a save each 5 ms. */
const PACE = { documents: 1_000, every: 5 };
const SAVES = 2_000;
const LEAST_SAVES = 200;
/** Webhooks of a doctype; deliveries that wait. */
const WEBHOOKS = [1, 10, 100];
const WAITING = [0, 10_000, 1_000_000];

const postgres = flags.engine === 'postgres' ? await startPostgres(DURABLE) : null;
const scratch = mkdtempSync(join(tmpdir(), 'chancery-webhooks-'));
pin(process.pid, 1);
const receiver = run('webhook-receiver.ts', [ORIGINS, HANGING]);
pin(receiver.pid ?? 0, 1);
const rows: [string, number][] = [];
const arrivals = new Map<string, bigint>();
try {
  const lines = createInterface({ input: receiver.stdout ?? process.stdin });
  const [first] = await once(lines, 'line');
  const ports = JSON.parse(first) as Ports;
  lines.on('line', (line) => {
    const [name = '', at = '0'] = line.split(' ');
    arrivals.set(name, BigInt(at));
  });
  const site = await startBenchSite(join(scratch, 'data'), postgres?.url ?? null);
  pin(site.pid, 0);
  for (const [, part] of parts) await part(site, ports);
  await site.stop();
  const title = `${flags.engine}, ${runs} runs of ${deliveries} deliveries of about 1 kB to ${ORIGINS} origins`;
  report({ title, head: ['what', 'figure'], rows }, flags.json);
} finally {
  receiver.kill('SIGKILL');
  await postgres?.stop();
  rmSync(scratch, { recursive: true, force: true });
}

/** Where receivers listen that answer, and that never do. */
interface Ports {
  readonly well: readonly number[];
  readonly hanging: readonly number[];
}

/** What webhooks add to a save. Nothing is delivered meanwhile. */
async function saves(site: BenchSite, { well: ports }: Ports): Promise<void> {
  const doctypes = [0, ...WEBHOOKS].map((count) => ({ count, doctype: `Bench ${count} Webhooks` }));
  for (const { doctype } of doctypes) await site.tell({ do: 'doctype', name: doctype });
  const cost = (doctype: string, count: number) =>
    site.tell({ do: 'saves', doctype, documents: Math.max(LEAST_SAVES, Math.round(SAVES / (count || 1))) });
  const [plain, ...others] = doctypes.map((each) => ({ ...each, best: Number.POSITIVE_INFINITY }));
  if (!plain) return;
  let alone = Number.POSITIVE_INFINITY;
  for (let index = 0; index <= runs; index += 1) alone = Math.min(alone, await cost(plain.doctype, 0));
  for (const { doctype, count } of others) {
    const urls = Array.from({ length: count }, (_, index) => urlOf(ports, index));
    await site.tell({ do: 'webhooks', doctype, urls, timeout: 15 });
    await cost(doctype, count);
  }
  for (let index = 0; index < 2 * runs; index += 1) {
    for (const one of [plain, ...others]) one.best = Math.min(one.best, await cost(one.doctype, one.count));
  }
  row('a save, no webhook in the site, CPU us', alone);
  row('a save, webhooks for other doctypes, CPU us', plain.best);
  for (const { count, best } of others) row(`what ${count} webhooks add, CPU us`, best - plain.best);
}

/** What one webhook adds to a save while so many deliveries wait already. */
async function waiting(site: BenchSite, { well: ports }: Ports): Promise<void> {
  const doctype = 'Bench Waiting';
  await site.tell({ do: 'doctype', name: doctype });
  await site.tell({ do: 'webhooks', doctype, urls: [urlOf(ports, 0)], timeout: 15 });
  for (const count of WAITING) {
    await site.tell({ do: 'wait', doctype, deliveries: count });
    let best = Number.POSITIVE_INFINITY;
    for (let index = 0; index < runs; index += 1) {
      best = Math.min(best, await site.tell({ do: 'saves', doctype, documents: SAVES }));
    }
    row(`a save with one webhook and ${count} waiting deliveries, CPU us`, best);
  }
  await site.tell({ do: 'wait', doctype, deliveries: 0 });
}

function urlOf(ports: readonly number[], index: number): string {
  return `http://127.0.0.1:${ports[index % ports.length]}/hook`;
}

async function throughput(site: BenchSite, { well: ports }: Ports): Promise<void> {
  await site.tell({ do: 'doctype', name: 'Bench Many' });
  const urls = ports.map((port) => `http://127.0.0.1:${port}/hook`);
  await site.tell({ do: 'webhooks', doctype: 'Bench Many', urls, timeout: 15 });
  // What the saves of before left behind, and the client's code.
  await site.tell({ do: 'drain' });
  const results: { perSecond: number; cpu: number; ratio: number; floor: number; floorPerSecond: number }[] =
    [];
  for (let index = 0; index < runs; index += 1) {
    const before = await floor(ports);
    await site.tell({ do: 'fill', doctype: 'Bench Many', documents: deliveries / ORIGINS });
    const { cpuMicros, seconds } = await site.tell({ do: 'drain' });
    const cpu = cpuMicros / deliveries;
    results.push({
      perSecond: deliveries / seconds,
      cpu,
      ratio: cpu / before.cpuMicros,
      floor: before.cpuMicros,
      floorPerSecond: before.perSecond,
    });
  }
  const FIGURES = {
    'deliveries/s': 'perSecond',
    'CPU us per delivery': 'cpu',
    'floor: deliveries/s': 'floorPerSecond',
    'floor: CPU us per delivery': 'floor',
    'ratio of CPU to the floor': 'ratio',
  } as const;
  for (const [what, key] of Object.entries(FIGURES)) {
    row(
      what,
      median(results, (result) => result[key]),
    );
  }
}

async function latency(site: BenchSite, { well: [port], hanging }: Ports): Promise<void> {
  await site.tell({ do: 'doctype', name: 'Bench Timed' });
  const timed = [`http://127.0.0.1:${port}/timed`];
  await site.tell({ do: 'webhooks', doctype: 'Bench Timed', urls: timed, timeout: 15 });
  await site.tell({ do: 'start' });
  await commitToWire(site);
  const idle = await commitToWire(site);
  row('commit to wire, p50 ms', at(idle, 0.5));
  row('commit to wire, p99 ms', at(idle, 0.99));
  await site.tell({ do: 'doctype', name: 'Bench Hanging' });
  const urls = hanging.map((port) => `http://127.0.0.1:${port}/hook`);
  await site.tell({ do: 'webhooks', doctype: 'Bench Hanging', urls, timeout: 15 });
  await site.tell({ do: 'fill', doctype: 'Bench Hanging', documents: 20 });
  const beside = await commitToWire(site);
  row(`beside ${HANGING} that hang, p50 ms`, at(beside, 0.5));
  row(`beside ${HANGING} that hang, p99 ms`, at(beside, 0.99));
  row('p99 beside those to p99 alone', at(beside, 0.99) / at(idle, 0.99));
}

/**
 * Milliseconds from commit to the receiver, in order; infinite for what did not arrive within ten seconds
 * after the last commit.
 */
async function commitToWire(site: BenchSite): Promise<number[]> {
  const committed = await site.tell({ do: 'pace', doctype: 'Bench Timed', ...PACE });
  for (let tries = 0; tries < 500 && committed.some(([name]) => !arrivals.has(name)); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const delays = committed.map(([name, at]) => {
    const arrived = arrivals.get(name);
    return arrived === undefined ? Number.POSITIVE_INFINITY : Number(arrived - BigInt(at)) / 1e6;
  });
  return delays.sort((left, right) => left - right);
}

async function floor(ports: readonly number[]): Promise<{ cpuMicros: number; perSecond: number }> {
  const child = run('webhook-floor.ts', [deliveries, ...ports]);
  pin(child.pid ?? 0, 0);
  const [line] = await once(createInterface({ input: child.stdout ?? process.stdin }), 'line');
  return JSON.parse(line);
}

function run(file: string, values: readonly number[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return spawn(process.execPath, [path, ...values.map(String)], { stdio: ['ignore', 'pipe', 'inherit'] });
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function row(what: string, figure: number): void {
  rows.push([what, figure]);
}
