import { readFileSync } from 'node:fs';
import type { RemoteSource } from '../frappe/remote/open-remote.ts';
import { SiteHooks } from '../frappe/remote/site-hooks.ts';
import { type Invocation, UsageError } from './command.ts';
import { listenError } from './listen-error.ts';

export interface HookAddress {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
}

/** Where `--listen` receives webhooks, with the secret of `--webhook-secret-file`; undefined without these flags. */
export function hookAddress(flags: Invocation['flags']): HookAddress | undefined {
  const { listen, 'webhook-secret-file': path } = flags;
  if (typeof listen !== 'string' && typeof path !== 'string') return undefined;
  if (flags['follow'] !== true && flags['until-agreed'] !== true) {
    throw new UsageError('--listen and --webhook-secret-file need --follow');
  }
  if (typeof listen !== 'string') throw new UsageError('--webhook-secret-file needs --listen');
  if (typeof path !== 'string') {
    throw new UsageError('--webhook-secret-file is missing: a file with the secret of the webhooks');
  }
  const [, bracketed, host = bracketed, port] =
    /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(listen) ?? [];
  if (host === undefined || Number(port) > 65_535) {
    throw new UsageError('--listen is a host and a port, such as 127.0.0.1:8001');
  }
  return { host, port: Number(port), secret: secretIn(path) };
}

/** Receives webhooks until it is closed. @throws StartError when it cannot listen at the address */
export async function listenForHooks(
  { host, port, secret }: HookAddress,
  { counts }: RemoteSource,
  print: (line: string) => void,
): Promise<SiteHooks> {
  try {
    const isFollowed = (doctype: string) => counts.has(doctype);
    const hooks = await SiteHooks.listen({ host, port, secret, isFollowed, tell: print });
    print(
      `Receiving webhooks on ${host}, port ${hooks.port}. Their JSON is {"doctype": "{{ doc.doctype }}"}.`,
    );
    return hooks;
  } catch (error) {
    throw listenError(error, { host, port }, `--listen ${host}:${port + 1}`);
  }
}

function secretIn(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`--webhook-secret-file: ${error instanceof Error ? error.message : error}`);
  }
  if (text === '') throw new UsageError('--webhook-secret-file: the file is empty');
  return text;
}
