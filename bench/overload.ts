/**
 * `npm run bench:overload [-- --seconds 5 --engine postgres --json FILE]`
 *
 * What the server still does when it is asked for ten times what it can: requests are sent at a rate, whether
 * or not the ones before were answered. A reply counts as good when it is 200 within three seconds. The goal
 * is at least 80 % of the good replies that the server gives when it is asked for just what it can. The first
 * second of the overload brings hundreds of new connections at once, and counts apart. The sender has a core
 * of its own where `taskset` exists, and must keep up: `not sent` tells.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { DURABLE, startPostgres } from '../test/support/embedded-postgres.ts';
import { quantile } from './load.ts';
import { pin } from './pin.ts';
import { report } from './results.ts';
import { seed } from './seed.ts';
import { type Served, startServer } from './servers.ts';

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    engine: { type: 'string', default: 'sqlite' },
    json: { type: 'string' },
  },
});
const seconds = Number(flags.seconds);
/** Milliseconds in which a reply is of use. */
const DEADLINE = 3_000;
/** Requests under way at the same time, at most: clients that come beyond find no connection. */
const CONNECTIONS = 2_000;
/** Some milliseconds of work, so that one sender can ask for ten times as much. */
const PATH = `/api/resource/Ticket?limit_page_length=500&fields=${encodeURIComponent('["*"]')}&order_by=subject`;

interface Result {
  /** Requests that the rate asks for. */
  due: number;
  good: number;
  refused: number;
  late: number;
  /** Not sent, because `CONNECTIONS` requests were under way. */
  unsent: number;
  /** Broken connections, and replies with any other status. */
  failed: number;
  /** Of good replies. */
  readonly millis: number[];
  /** Of refusals. */
  readonly refusals: number[];
}

/** Seconds that the overload lasts before it counts as going on. */
const FIRST = 1;

const postgres = flags.engine === 'postgres' ? await startPostgres(DURABLE) : null;
const scratch = mkdtempSync(join(tmpdir(), 'chancery-overload-'));
pin(process.pid, 1);
try {
  const seeded = await seed(scratch, postgres?.url ?? null, 2_000);
  const server = await startServer(seeded);
  pin(server.pid, 0);
  const pool = new Pool(server.url, { connections: CONNECTIONS, pipelining: 1 });
  await closedLoop(pool, server, 1);
  const capacity = (await closedLoop(pool, server, seconds)) / seconds;
  const once = await openLoop(pool, server, capacity, seconds);
  const first = await openLoop(pool, server, capacity * 10, FIRST);
  const tenfold = await openLoop(pool, server, capacity * 10, seconds);
  const ratio = (tenfold.good / once.good).toFixed(2);
  const found = {
    title: `${flags.engine}: ${capacity.toFixed(0)} lists of 500 rows per second over 16 connections`,
    head: [
      ...['asked for', 'due/s', 'good/s', '503/s', 'late/s', 'not sent', 'failed'],
      ...['p50 ms of good ones', 'p99 ms of good ones', 'p99 ms of 503'],
    ],
    rows: [
      [capacity.toFixed(0), ...cellsOf(once, seconds)],
      [`${(capacity * 10).toFixed(0)}, first second`, ...cellsOf(first, FIRST)],
      [(capacity * 10).toFixed(0), ...cellsOf(tenfold, seconds)],
    ],
    notes: [`Goodput at 10x over goodput at 1x: ${ratio}.`],
  };
  report(found, flags.json);
  await pool.destroy();
  await server.stop();
} finally {
  await postgres?.stop();
  rmSync(scratch, { recursive: true, force: true });
}

async function closedLoop(pool: Pool, server: Served, duration: number): Promise<number> {
  const end = performance.now() + duration * 1000;
  let count = 0;
  const client = async () => {
    while (performance.now() < end) if ((await send(pool, server)) === 200) count += 1;
  };
  await Promise.all(Array.from({ length: 16 }, client));
  return count;
}

async function openLoop(pool: Pool, server: Served, perSecond: number, duration: number): Promise<Result> {
  const result: Result = {
    ...{ due: 0, good: 0, refused: 0, late: 0, unsent: 0, failed: 0 },
    ...{ millis: [], refusals: [] },
  };
  const began = performance.now();
  const under = new Set<Promise<void>>();
  const end = began + duration * 1000;
  for (let now = began; now < end; now = performance.now()) {
    const due = Math.floor(((now - began) / 1000) * perSecond);
    for (; result.due < due; result.due += 1) {
      if (under.size >= CONNECTIONS) result.unsent += 1;
      else {
        const one = note(pool, server, result).finally(() => under.delete(one));
        under.add(one);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(under);
  return result;
}

function cellsOf(
  { due, good, refused, late, unsent, failed, millis, refusals }: Result,
  duration: number,
): (number | string)[] {
  const rates = [due, good, refused, late].map((count) => count / duration);
  const times = [quantile(millis, 0.5), quantile(millis, 0.99)];
  return [...rates, unsent, failed, ...times, refused === 0 ? '' : quantile(refusals, 0.99)];
}

async function note(pool: Pool, server: Served, result: Result): Promise<void> {
  const began = performance.now();
  const status = await send(pool, server);
  const took = performance.now() - began;
  if (status === 503) {
    result.refused += 1;
    result.refusals.push(took);
  } else if (status !== 200) result.failed += 1;
  else if (took > DEADLINE) result.late += 1;
  else {
    result.good += 1;
    result.millis.push(took);
  }
}

async function send(pool: Pool, server: Served): Promise<number> {
  try {
    const headers = { authorization: server.authorization };
    const { statusCode, body } = await pool.request({ path: PATH, method: 'GET', headers });
    await body.dump();
    return statusCode;
  } catch {
    return 0;
  }
}
