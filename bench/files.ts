/**
 * `npm run bench:files [-- --rounds 3 --json FILE]`
 *
 * Uploads and downloads of 100 kB, 10 MB and 200 MB against the server (SQLite and disk) and against a bare
 * `pipeline()` between socket and file, which syncs once, checks nothing and keeps no row, in turns.
 * Megabytes per second of the best round, and the most memory that each had meanwhile beyond what it had when
 * idle. Before all that, what 200 MB cost a process that has done nothing yet.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { drain, formOf, growthDuring, post } from '../test/support/big-upload.ts';
import { startServerProcess } from '../test/support/server-process.ts';
import { report } from './results.ts';

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, json: { type: 'string' } },
});
const rounds = Number(flags.rounds);
const MB = 1_000_000;
const SIZES = [
  { name: '100 kB', bytes: MB / 10, times: 200, atOnce: 8 },
  { name: '10 MB', bytes: 10 * MB, times: 10, atOnce: 2 },
  { name: '200 MB', bytes: 200 * MB, times: 1, atOnce: 1 },
];
const KEY = 'bench-key:bench-secret-0123456789';
const TOKEN = `token ${KEY}`;

interface Target {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  readonly uploadPath: string;
}

interface Figures {
  up: number;
  down: number;
  growth: number;
}

const scratch = mkdtempSync(join(tmpdir(), 'chancery-files-'));
const floorFolder = join(scratch, 'floor');
mkdirSync(floorFolder);
const server = await startServerProcess(['--data', join(scratch, 'data')], {
  env: {
    CHANCERY_ADMIN_API_KEY: KEY,
    CHANCERY_UPLOADS_MAX_BYTES: String(200 * MB),
    CHANCERY_LOG_REQUESTS: 'false',
  },
  deadline: 3_600_000,
});
const floor = spawn(process.execPath, ['bench/files-floor.ts', floorFolder], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const targets: readonly Target[] = [
    { name: 'chancery', pid: server.child.pid ?? 0, url: server.url, uploadPath: '/api/method/upload_file' },
    { name: 'pipeline()', pid: floor.pid ?? 0, url: await urlOf(floor), uploadPath: '/' },
  ];
  const notes: string[] = [];
  const rows: (string | number)[][] = [];
  for (const target of targets) {
    const growth = await growthDuring(target.pid, () => send(target, 200 * MB));
    notes.push(`${target.name}: 200 MB as the first request of a process take ${megabytes(growth)} MB.`);
  }
  for (const size of SIZES) {
    const best = new Map(targets.map(({ name }) => [name, { up: 0, down: 0, growth: 0 }]));
    for (let round = 0; round < rounds; round += 1) {
      for (const target of targets) await measure(target, size, best.get(target.name));
    }
    for (const [name, { up, down, growth }] of best) {
      rows.push([size.name, name, up, down, megabytes(growth)]);
    }
  }
  const title = `sqlite and disk, the best of ${rounds} rounds`;
  report({ title, head: ['size', 'server', 'up MB/s', 'down MB/s', 'memory MB'], rows, notes }, flags.json);
} finally {
  await server.end('SIGTERM');
  floor.kill();
  rmSync(scratch, { recursive: true, force: true });
}

function send({ url, uploadPath }: Target, bytes: number): Promise<string> {
  return post(url + uploadPath, TOKEN, formOf(bytes, { is_private: '1' }));
}

function megabytes(bytes: number): string {
  return (bytes / MB).toFixed(0);
}

async function measure(
  target: Target,
  size: (typeof SIZES)[number],
  best: Figures | undefined,
): Promise<void> {
  if (!best) return;
  const urls: string[] = [];
  const growth = await growthDuring(target.pid, async () => {
    const up = await rate(size, async () => {
      const reply = await send(target, size.bytes);
      urls.push(target.url + JSON.parse(reply).message.file_url);
    });
    const down = await rate(size, async (index) => {
      await drain(urls[index % urls.length] ?? '', TOKEN);
    });
    best.up = Math.max(best.up, up);
    best.down = Math.max(best.down, down);
  });
  best.growth = Math.max(best.growth, growth);
}

/** Megabytes per second. */
async function rate(
  { bytes, times, atOnce }: (typeof SIZES)[number],
  work: (index: number) => Promise<void>,
): Promise<number> {
  const began = performance.now();
  let next = 0;
  const client = async () => {
    while (next < times) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return (bytes * times) / MB / ((performance.now() - began) / 1000);
}

async function urlOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the floor has no standard output');
  const [port] = await once(createInterface({ input: child.stdout }), 'line');
  return `http://127.0.0.1:${port}`;
}
