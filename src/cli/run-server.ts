import { rmSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import type { Config } from '../config/config.ts';
import type { SettingSources } from '../config/load-config.ts';
import { version } from '../config/version.ts';
import { drainServer } from '../http/limits/drain.ts';
import { createServer } from '../http/server.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Observer } from '../kernel/observation.ts';
import { waited, within } from '../kernel/wait.ts';
import { ALONE, joinSiblings, type Siblings } from '../site/siblings.ts';
import { type OpenSite, openSite } from '../site/start/open-site.ts';
import { shareOf, type WorkerPlan } from '../site/workers.ts';
import { credentials } from './credentials.ts';
import { listenError } from './listen-error.ts';
import { logOf } from './log-of.ts';
import { releaseMemory } from './release-memory.ts';
import { isStrayHandle } from './stray-handle.ts';
import { preparesSite, supervisorLost } from './worker.ts';

/** Milliseconds from the start until `settleDown`, so that the first requests do not wait for it. */
const SETTLED_AFTER = 1_000;

/** Milliseconds between two looks of a writer whether its readers have ended. */
const READERS_EVERY = 20;

/** A server to run: alone, or one of the workers that a supervisor started. */
export interface ServerRun {
  readonly config: Config;
  readonly sources: SettingSources;
  readonly plan: WorkerPlan;
  /** The number of this worker; null for a server of one process. */
  readonly worker: number | null;
  readonly print: (line: string) => void;
}

/** Serves a site until a signal or a bug stops it. Resolves to the exit code. */
export async function runServer({ config, sources, plan, worker, print }: ServerRun): Promise<number> {
  const began = performance.now();
  const observe = logOf(config, worker);
  // Once the site is open, its metrics count uncaught errors.
  let report = observe;
  const stop = untilStopped((observation) => report(observation), worker !== null);
  const site = await openSite(shareOf(config, plan), {
    observe,
    plan,
    sources,
    siblings: worker === null ? ALONE : joinSiblings(worker),
    isPrepared: !preparesSite(),
  });
  report = site.observe;
  const server = createServer(site);
  const listened = listen(server, site);
  const url = await Promise.race([listened, supervisorLost()]).catch(async (error: unknown) => {
    // The site exists by now, and no later start prints these again.
    for (const line of credentials(site.firstStart)) print(line);
    // The server's threads and timers are running by now and would keep the process up.
    await within(LIMITS.stopClose, server.close());
    await within(LIMITS.stopClose, site.close());
    throw listenError(error, config, `--port ${config.port + 1}`);
  });
  site.siblings.serve();
  if (config.webhooks.worker) site.startWorker();
  observe({ kind: 'started', url, millis: Math.round(performance.now() - began) });
  if (preparesSite()) for (const line of greeting(site, url, plan.count)) print(line);
  setTimeout(settleDown, SETTLED_AFTER).unref();

  const listening = performance.now();
  const { at, isGraceful, code } = await stop;
  // A server stopped before it listened has no requests to answer.
  const grace = isGraceful && at > listening ? config.shutdown.grace : 0;
  if (site.role === 'writer' && code() === 0) {
    server.startDraining();
    await within(grace + LIMITS.stopDrain, readersEnded(site.siblings));
  }
  await drainServer(server, Math.max(0, grace - (performance.now() - at)));
  await within(LIMITS.stopClose, site.close());
  observe({ kind: 'stopped' });
  // Remaining handles have had their time to close.
  setTimeout(() => process.exit(code()), 1_000).unref();
  return code();
}

function settleDown(): void {
  // Node itself writes its cache of compiled code when the process ends, but not when it is killed.
  flushCompileCache();
  releaseMemory();
}

async function listen(
  server: ReturnType<typeof createServer>,
  { config, role, socket }: OpenSite,
): Promise<string> {
  const url = await server.listen({ host: config.host, port: config.port });
  if (role === 'writer' && socket !== null) {
    // Left by a writer that was killed. The lock of the database keeps others away.
    rmSync(socket, { force: true });
    await server.listenForReaders(socket);
  }
  return url;
}

/** The readers of a server that stops still forward requests. A signal of a terminal reaches all workers at once. */
async function readersEnded(siblings: Siblings): Promise<void> {
  while ((await siblings.ask('end')).length > 0) await waited(READERS_EVERY);
}

interface Stop {
  /** The current exit code. */
  code(): number;
  /** The time of the stop, by `performance.now()`. */
  readonly at: number;
  /** True when load balancers and clients get time to switch to another node. */
  readonly isGraceful: boolean;
}

/**
 * Resolves when the server should stop. A second signal ends the process at once, but not a worker: a terminal or
 * systemd signals it too, and its supervisor ends it.
 */
function untilStopped(observe: Observer, isWorker: boolean): Promise<Stop> {
  return new Promise((resolve) => {
    let began: number | null = null;
    let code = 0;
    const stop = (isGraceful: boolean) => {
      began ??= performance.now();
      resolve({ code: () => code, at: began, isGraceful });
    };
    const signalled = (isGraceful: boolean) => {
      // npm and terminals may send the same signal twice.
      const isAgain = began !== null && performance.now() - began > LIMITS.signalRepeat;
      if (isAgain && !isWorker) process.exit(code);
      stop(isGraceful);
    };
    // A person who presses Ctrl+C waits for the end.
    process.on('SIGINT', () => signalled(false));
    process.on('SIGTERM', () => signalled(true));
    process.on('SIGHUP', () => signalled(true));
    // A bug left the process in an unknown state: stop in order, and let the supervisor restart it.
    const failed = (where: string) => (error: unknown) => {
      observe({ kind: 'unexpected', where, error });
      code = 1;
      stop(false);
    };
    process.on('unhandledRejection', failed('unhandled rejection'));
    process.on('uncaughtException', (error) => {
      if (isStrayHandle(error)) observe({ kind: 'unexpected', where: 'a forgotten file handle', error });
      else failed('uncaught exception')(error);
    });
  });
}

function greeting(site: OpenSite, url: string, workers: number): string[] {
  const { config, database } = site;
  const many = workers > 1 ? `, ${workers} workers` : '';
  const engine = database.dialect.name === 'sqlite' ? `SQLite, data in ${config.data}` : 'PostgreSQL';
  const lines = [`Chancery ${version()} is listening on ${url} (${engine}${many})`];
  const made = credentials(site.firstStart);
  if (made.length === 0) return lines;
  const doctype = site.doctypes.find('Ticket') ? 'Ticket' : 'User';
  const key = site.firstStart?.apiKey ?? '<api_key>:<api_secret>';
  lines.push(
    '',
    ...made,
    '',
    'Try it:',
    `  curl -s ${url}/api/resource/${doctype} -H 'Authorization: token ${key}'`,
    '',
  );
  return lines;
}
