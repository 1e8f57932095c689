import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import { createServer } from '../http/server.ts';
import type { Observer } from '../kernel/observation.ts';
import { logObserver } from '../observe/log.ts';
import { type OpenSite, openSite } from '../site/open-site.ts';
import { StartError } from '../site/start-error.ts';
import type { Command } from './command.ts';

/** Milliseconds that requests in flight have to end after a signal, and everything else after that. */
const DRAIN = 10_000;
const CLOSE = 5_000;

export const serveCommand: Command = {
  help: 'serve HTTP and deliver webhooks; makes the site on the first start',
  async run({ config, print }) {
    const began = performance.now();
    const observe = logObserver();
    const stop = untilStopped(observe);
    const site = await openSite(config, { observe });
    const server = createServer(site);
    const url = await server
      .listen({ host: config.host, port: config.port })
      .catch(async (error: unknown) => {
        // The site is made by now, and no later start says these again.
        for (const line of credentials(site)) print(line);
        // What serves has begun by then too: its threads and timers would keep the process up.
        await within(CLOSE, server.close());
        await within(CLOSE, site.close());
        throw listenError(error, config);
      });
    if (config.webhooks.worker) site.startWorker();
    observe({ kind: 'started', url, millis: Math.round(performance.now() - began) });
    for (const line of greeting(site, url)) print(line);

    const code = await stop;
    // A connection falls idle when its last request is answered, and then must not keep the server open.
    const idle = setInterval(() => server.server.closeIdleConnections(), 50);
    await within(DRAIN, server.close());
    clearInterval(idle);
    server.server.closeAllConnections();
    await within(CLOSE, site.close());
    observe({ kind: 'stopped' });
    // Whatever still holds the process up has had its time.
    setTimeout(() => process.exit(code), 1_000).unref();
    return code;
  },
};

/** Resolves to the exit code when it is time to stop; a second signal does not wait for the drain. */
function untilStopped(observe: Observer): Promise<number> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = (code: number) => {
      if (stopping) process.exit(code);
      stopping = true;
      resolve(code);
    };
    process.on('SIGINT', () => stop(0));
    process.on('SIGTERM', () => stop(0));
    // A bug left the process in an unknown state: stop in good order, and let whatever supervises start it afresh.
    process.on('unhandledRejection', (error) => {
      observe({ kind: 'unexpected', where: 'unhandled rejection', error });
      stop(1);
    });
    process.on('uncaughtException', (error) => {
      observe({ kind: 'unexpected', where: 'uncaught exception', error });
      stop(1);
    });
  });
}

async function within(millis: number, work: PromiseLike<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, millis);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function greeting(site: OpenSite, url: string): string[] {
  const { config, database } = site;
  const place = database.dialect.name === 'sqlite' ? `SQLite, data in ${config.data}` : 'PostgreSQL';
  const lines = [`Chancery ${version()} is listening on ${url} (${place})`];
  if (!site.firstStart) return lines;
  const doctype = site.doctypes.find('Ticket') ? 'Ticket' : 'User';
  const key = site.firstStart.apiKey ?? '<api_key>:<api_secret>';
  lines.push('', ...credentials(site));
  lines.push('', 'Try it:', `  curl -s ${url}/api/resource/${doctype} -H 'Authorization: token ${key}'`, '');
  return lines;
}

function credentials({ firstStart }: OpenSite): string[] {
  if (!firstStart) return [];
  const lines = [
    'This is the first start. Note these, they are shown only now:',
    '  User      Administrator',
  ];
  if (firstStart.password) lines.push(`  Password  ${firstStart.password}`);
  if (firstStart.apiKey) lines.push(`  API key   ${firstStart.apiKey}`);
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
