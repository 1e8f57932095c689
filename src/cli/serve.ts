import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import { drainServer } from '../http/limits/drain.ts';
import { createServer } from '../http/server.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Observer } from '../kernel/observation.ts';
import { within } from '../kernel/wait.ts';
import { type LogFormat, logObserver } from '../observe/log.ts';
import { type OpenSite, openSite } from '../site/start/open-site.ts';
import { StartError } from '../site/start-error.ts';
import type { Command } from './command.ts';
import { credentials } from './credentials.ts';
import { releaseMemory } from './release-memory.ts';
import { isStrayHandle } from './stray-handle.ts';

/** Milliseconds from the start until its garbage is returned. The first requests do not wait for that. */
const RELEASE_AFTER = 1_000;

export const serveCommand: Command = {
  help: 'serve HTTP and deliver webhooks; the first start creates the site',
  scope: 'server',
  async run({ config, print }) {
    const began = performance.now();
    const observe = logObserver(undefined, logFormat(config));
    // Once the site is open, its metrics count uncaught errors.
    let report = observe;
    const stop = untilStopped((observation) => report(observation));
    const site = await openSite(config, { observe });
    report = site.observe;
    const server = createServer(site);
    const url = await server
      .listen({ host: config.host, port: config.port })
      .catch(async (error: unknown) => {
        // The site exists by now, and no later start prints these again.
        for (const line of credentials(site.firstStart)) print(line);
        // The server's threads and timers are running by now and would keep the process up.
        await within(LIMITS.stopClose, server.close());
        await within(LIMITS.stopClose, site.close());
        throw listenError(error, config);
      });
    if (config.webhooks.worker) site.startWorker();
    observe({ kind: 'started', url, millis: Math.round(performance.now() - began) });
    for (const line of greeting(site, url)) print(line);
    setTimeout(releaseMemory, RELEASE_AFTER).unref();

    const listening = performance.now();
    const { at, isGraceful, code } = await stop;
    // A server stopped before it listened has no requests to answer.
    await drainServer(server, isGraceful && at > listening ? config.shutdown.grace : 0);
    await within(LIMITS.stopClose, site.close());
    observe({ kind: 'stopped' });
    // Remaining handles have had their time to close.
    setTimeout(() => process.exit(code()), 1_000).unref();
    return code();
  },
};

function logFormat({ logFormat: wanted }: Config): LogFormat {
  if (wanted !== 'auto') return wanted;
  return process.stderr.isTTY ? 'text' : 'json';
}

interface Stop {
  /** The current exit code. */
  code(): number;
  /** The time of the stop, by `performance.now()`. */
  readonly at: number;
  /** True when load balancers and clients get time to switch to another node. */
  readonly isGraceful: boolean;
}

/** Resolves when the server should stop. A second signal ends the process at once. */
function untilStopped(observe: Observer): Promise<Stop> {
  return new Promise((resolve) => {
    let began: number | null = null;
    let code = 0;
    const stop = (isGraceful: boolean) => {
      began ??= performance.now();
      resolve({ code: () => code, at: began, isGraceful });
    };
    const signalled = (isGraceful: boolean) => {
      // npm and terminals may send the same signal twice.
      if (began !== null && performance.now() - began > LIMITS.signalRepeat) process.exit(code);
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

function greeting(site: OpenSite, url: string): string[] {
  const { config, database } = site;
  const place = database.dialect.name === 'sqlite' ? `SQLite, data in ${config.data}` : 'PostgreSQL';
  const lines = [`Chancery ${version()} is listening on ${url} (${place})`];
  if (!site.firstStart) return lines;
  const doctype = site.doctypes.find('Ticket') ? 'Ticket' : 'User';
  const key = site.firstStart.apiKey ?? '<api_key>:<api_secret>';
  lines.push('', ...credentials(site.firstStart));
  lines.push('', 'Try it:', `  curl -s ${url}/api/resource/${doctype} -H 'Authorization: token ${key}'`, '');
  return lines;
}

function listenError(error: unknown, { host, port }: Config): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new StartError(`Port ${port} of ${host} is in use. Choose another: --port ${port + 1}`);
  if (code === 'EACCES') return new StartError(`This user may not listen on port ${port} of ${host}.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`${host} is not an address of this machine.`);
  return error;
}
