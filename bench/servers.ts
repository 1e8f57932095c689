import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Seeded } from './seed.ts';

/** A server under test, in a process of its own. */
export interface Served {
  readonly url: string;
  readonly pid: number;
  readonly authorization: string;
  /** CPU time that the process and its database server have used so far, microseconds. */
  cpuMicros(): number;
  /** Resident memory, megabytes. */
  rss(): number;
  stop(): Promise<void>;
}

export interface Place {
  /** The directory of the sources that the server runs, or of the package. */
  readonly checkout?: string;
  /** A process whose descendants are the database server, counted as CPU of this server. */
  readonly database?: number | undefined;
}

/** Starts this checkout's server on the seeded site; resolves after its first authenticated get. */
export function startServer(seeded: Seeded, place: Place = {}): Promise<Served> {
  return serve(seeded, `/api/resource/Ticket/${seeded.names[0]}`, place);
}

/** The same on any site, with the path of the first get. */
export async function serve(
  site: Pick<Seeded, 'data' | 'port' | 'environment' | 'token'>,
  path: string,
  { checkout = '.', database }: Place = {},
): Promise<Served> {
  const child = spawn(
    process.execPath,
    [
      ...(existsSync(join(checkout, 'src')) ? ['--conditions=source'] : []),
      ...['bin/chancery.mjs', 'serve', '--port', String(site.port), '--data', site.data],
    ],
    {
      cwd: checkout,
      env: { ...process.env, ...UNBOUNDED, ...site.environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const url = `http://127.0.0.1:${site.port}`;
  for (let attempt = 0; attempt < 10_000; attempt += 1) {
    const answer = await fetch(url + path, { headers: { authorization: site.token } }).catch(() => null);
    if (answer?.status === 200) return served(child, url, site.token, database);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  child.kill('SIGKILL');
  throw new Error('the server did not answer within 100 s');
}

export async function startFloor(seeded: Seeded, { database }: Place = {}): Promise<Served> {
  const child = spawn(process.execPath, ['bench/floor.ts', seeded.floorDatabase, seeded.floorUploads], {
    env: { ...process.env, BENCH_TOKEN: seeded.token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', () => reject(new Error('the floor did not start')));
  });
  return served(child, `http://127.0.0.1:${port}`, seeded.token, database);
}

function served(child: ChildProcess, url: string, authorization: string, database?: number): Served {
  const pid = child.pid ?? 0;
  return {
    url,
    pid,
    authorization,
    cpuMicros: () => cpuMicros(pid) + (database ? cpuMicrosBelow(database) : 0),
    rss: () =>
      Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGINT');
      }),
  };
}

/** Clock ticks of 10 ms, of a process and of its children that have ended. */
function ticks(pid: number): { readonly own: number; readonly ended: number } {
  // Fields 14 to 17; the name in brackets may hold spaces.
  const stat = readProcess(`${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const sum = (first: number) => Number(fields[first] ?? 0) + Number(fields[first + 1] ?? 0);
  return { own: sum(11), ended: sum(13) };
}

function cpuMicros(pid: number): number {
  return ticks(pid).own * 10_000;
}

/** CPU time of the descendants of a process, which have one thread each, as those of PostgreSQL. */
export function cpuMicrosBelow(pid: number): number {
  const children = readProcess(`${pid}/task/${pid}/children`).split(' ');
  const running = children.filter((one) => one !== '').map(Number);
  return running.reduce(
    (sum, child) => sum + nanos(child) / 1_000 + cpuMicrosBelow(child),
    ticks(pid).ended * 10_000,
  );
}

function nanos(pid: number): number {
  return Number(readProcess(`${pid}/schedstat`).split(' ')[0]);
}

// Empty if the process has ended.
function readProcess(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}

/** Everything is counted, and nothing refused. */
const UNBOUNDED = Object.fromEntries(
  ['PER_KEY', 'PER_USER', 'PER_ADDRESS', 'UPLOADS'].map((name) => [
    `CHANCERY_RATE_LIMITS_${name}`,
    '1000000000',
  ]),
);
