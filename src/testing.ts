/** For the tests of apps: a whole server of its own, on a free port, with an empty database that goes with it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApiKey, storeApiKey } from './access/api-key.ts';
import { ADMINISTRATOR } from './access/user.ts';
import { DEFAULT_CONFIG } from './config/config.ts';
import { timestamp } from './document/context.ts';
import type { Context } from './document/contract.ts';
import { createDocument } from './document/verbs/create.ts';
import { unitOfWork } from './document/write/unit-of-work.ts';
import { createServer } from './http/server.ts';
import type { App } from './site/app.ts';
import { openSite } from './site/start/open-site.ts';

export interface TestReply {
  readonly status: number;
  /** The body as JSON; undefined when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: replies have every shape, and a test says which it expects
  readonly body: any;
}

export interface TestSite {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** An Authorization header of Administrator. */
  readonly administrator: string;
  /** A request with a JSON body, as Administrator or whoever `as` is an Authorization header of; null is nobody. */
  request(method: string, path: string, body?: unknown, as?: string | null): Promise<TestReply>;
  /** One transaction as Administrator, for what has no endpoint. */
  run<T>(work: (ctx: Context) => Promise<T>): Promise<T>;
  /** Makes a user with these roles; resolves to an Authorization header. */
  createUser(email: string, roles: readonly string[]): Promise<string>;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

/** Starts a site with these apps on SQLite, in a folder that `close` removes. Webhooks are not delivered. */
export async function startTestSite(...apps: readonly App[]): Promise<TestSite> {
  const data = await mkdtemp(join(tmpdir(), 'chancery-test-'));
  const adminApiKey = 'administrator:test';
  const administrator = `token ${adminApiKey}`;
  const site = await openSite({ ...DEFAULT_CONFIG, data, port: 0, adminApiKey }, { apps });
  const server = createServer(site);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });

  const run = <T>(work: (ctx: Context) => Promise<T>) => unitOfWork(site, ADMINISTRATOR, work);
  return {
    url,
    administrator,
    run,
    async request(method, path, body, as = administrator) {
      const headers = new Headers(as === null ? {} : { authorization: as });
      if (body !== undefined) headers.set('content-type', 'application/json');
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(url + path, { method, headers, ...init });
      return { status: response.status, body: parse(await response.text()) };
    },
    async createUser(email, roles) {
      const { key, secret } = newApiKey(site.random);
      await run(async (ctx) => {
        const fields = { email, first_name: email, roles: roles.map((role) => ({ role })) };
        const user = await createDocument(ctx, 'User', fields);
        await storeApiKey(ctx.db, {
          key,
          secret,
          user: user.name,
          label: 'test',
          creation: timestamp(site),
        });
      });
      return `token ${key}:${secret}`;
    },
    async close() {
      await server.close();
      await site.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
