import { HEALTH, READY } from '../http/service/addresses.ts';
import { StartError } from '../site/start-error.ts';
import type { Command } from './command.ts';

/** Milliseconds that the server may take to answer. */
const PATIENCE = 5_000;

/** Addresses that a server listens on and nobody can call, with one that reaches it. */
const ANYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

export const healthCommand: Command = {
  help: 'ask the running server whether it is alive, or with --ready whether it accepts work; exit code 0 or 1',
  usage: ['[--ready]'],
  scope: 'server',
  async run({ config: { host, port }, flags, print }) {
    const { path } = flags['ready'] === true ? READY : HEALTH;
    const name = ANYWHERE[host] ?? (host.includes(':') ? `[${host}]` : host);
    const url = `http://${name}:${port}${path}`;
    const reply = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) }).catch((error: Error) => {
      throw new StartError(`${url} does not answer: ${reasonOf(error)}`);
    });
    print(await reply.text());
    return reply.ok ? 0 : 1;
  },
};

// The message of undici is "fetch failed" whatever has failed.
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message || cause.name : message;
}
