import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Seeded } from './seed.ts';

/** A server under test, in a process of its own. */
export interface Served {
  readonly url: string;
  readonly pid: number;
  readonly authorization: string;
  /** CPU time the process has used so far, microseconds. */
  cpuMicros(): number;
  /** Resident memory, megabytes. */
  rss(): number;
  stop(): Promise<void>;
}

/** Starts this checkout's server on the seeded site; resolves after its first authenticated get. */
export function startServer(seeded: Seeded): Promise<Served> {
  return serve(seeded, `/api/resource/Ticket/${seeded.names[0]}`);
}

/** The same on any site, with the path of the first get. */
export async function serve(
  site: Pick<Seeded, 'data' | 'port' | 'environment' | 'token'>,
  path: string,
): Promise<Served> {
  const child = spawn(
    process.execPath,
    ['--conditions=source', 'bin/chancery.mjs', 'serve', '--port', String(site.port), '--data', site.data],
    { env: { ...process.env, ...UNBOUNDED, ...site.environment }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const url = `http://127.0.0.1:${site.port}`;
  for (let attempt = 0; attempt < 10_000; attempt += 1) {
    const answer = await fetch(url + path, { headers: { authorization: site.token } }).catch(() => null);
    if (answer?.status === 200) return served(child, url, site.token);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  child.kill('SIGKILL');
  throw new Error('the server did not answer within 100 s');
}

export async function startFloor(seeded: Seeded): Promise<Served> {
  const child = spawn(process.execPath, ['bench/floor.ts', seeded.floorDatabase, seeded.floorUploads], {
    env: { ...process.env, BENCH_TOKEN: seeded.token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', () => reject(new Error('the floor did not start')));
  });
  return served(child, `http://127.0.0.1:${port}`, seeded.token);
}

function served(child: ChildProcess, url: string, authorization: string): Served {
  const pid = child.pid ?? 0;
  return {
    url,
    pid,
    authorization,
    cpuMicros() {
      // Fields 14 and 15 of /proc/<pid>/stat, in clock ticks of 10 ms; the name in brackets may hold spaces.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10_000;
    },
    rss: () =>
      Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGINT');
      }),
  };
}

/** Everything is counted, and nothing refused. */
const UNBOUNDED = Object.fromEntries(
  ['PER_KEY', 'PER_USER', 'PER_ADDRESS', 'UPLOADS'].map((name) => [
    `CHANCERY_RATE_LIMITS_${name}`,
    '1000000000',
  ]),
);
