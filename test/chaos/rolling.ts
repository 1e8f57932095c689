import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const GUIDE = join(ROOT, 'docs/guide/several-nodes.md');
const KEY = 'admin-key:admin-secret-0123456789';

/** A restart of every node, one after another, under load. */
export interface Rolling {
  /** Stops when the nodes are restarted and so many requests are answered. */
  readonly requests: number;
  readonly nodes: number;
  readonly clients: number;
  readonly proxy: 'haproxy' | 'nginx';
  /** A checkout whose code the nodes run before their restart; default: this one. */
  readonly from?: string;
}

/** The outcome as the clients saw it. */
export interface Rolled {
  readonly requests: number;
  /** Requests without the reply of a success, a line each. */
  readonly failures: readonly string[];
  /** Creations that were answered, and the documents that there are. */
  readonly acknowledged: number;
  readonly stored: number;
}

/** Restarts all nodes behind a proxy with the configuration of the guide, while clients send requests. */
export async function roll(options: Rolling): Promise<Rolled> {
  const root = mkdtempSync(join(tmpdir(), 'chancery-rolling-'));
  const database = await freshDatabaseUrl('postgres');
  const env = {
    CHANCERY_ADMIN_API_KEY: KEY,
    CHANCERY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    CHANCERY_DATABASE: database.url,
    CHANCERY_FILES: join(root, 'files'),
    CHANCERY_TRUST_PROXY: '127.0.0.1',
    CHANCERY_SHUTDOWN_GRACE: '3000',
    CHANCERY_RATE_LIMITS_PER_KEY: '0',
    CHANCERY_RATE_LIMITS_PER_USER: '0',
    CHANCERY_RATE_LIMITS_PER_ADDRESS: '0',
  };
  const ports: number[] = [];
  const servers: ServerProcess[] = [];
  const start = async (index: number, from?: string) => {
    const argv = ['--data', join(root, `node-${index}`), '--port', String(ports[index]), '--apps', ''];
    servers[index] = await startServerProcess(argv, { env, ...(from !== undefined && { root: from }) });
  };
  let proxy: ChildProcess | null = null;
  try {
    for (let index = 0; index < options.nodes; index += 1) {
      ports.push(await freePort());
      await start(index, options.from);
    }
    const port = await freePort();
    proxy = startProxy(options.proxy, root, port, ports);
    const clients = new Clients(port, options.proxy === 'nginx');
    await until(() => clients.isThere());
    await clients.define();
    let isOver = false;
    const load = Promise.all(
      Array.from({ length: options.clients }, () =>
        clients.run(() => isOver && clients.requests >= options.requests),
      ),
    );
    for (let index = 0; index < options.nodes; index += 1) {
      await clients.send(options.requests / (options.nodes + 1));
      await servers[index]?.end('SIGTERM');
      await start(index);
      await until(async () => (await fetch(`${servers[index]?.url}/ready`)).status === 200);
    }
    isOver = true;
    await load;
    return { ...clients.outcome(), stored: await clients.count() };
  } finally {
    proxy?.kill('SIGTERM');
    for (const server of servers) await server?.end('SIGKILL');
    await database.drop();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Starts the proxy with the configuration of the guide, on loopback. */
export function startProxy(
  name: Rolling['proxy'],
  root: string,
  port: number,
  ports: readonly number[],
): ChildProcess {
  const page = readFileSync(GUIDE, 'utf8');
  const mark = name === 'haproxy' ? 'defaults\n' : 'upstream nodes {\n';
  const from = page.indexOf(mark);
  const block = page.slice(from, page.indexOf('```', from));
  const listening = block
    .replace('bind :80', `bind 127.0.0.1:${port}`)
    .replace('listen 80', `listen 127.0.0.1:${port}`);
  const place = (line: string) => Number(/10\.0\.0\.1(\d):8000/.exec(line)?.[1] ?? 1) - 1;
  const config = listening
    .split('\n')
    .filter((line) => place(line) < ports.length)
    .map((line) => line.replace(/10\.0\.0\.1\d:8000/, `127.0.0.1:${ports[place(line)]}`))
    .join('\n');
  const file = join(root, `${name}.conf`);
  if (name === 'haproxy') {
    writeFileSync(file, config);
    return spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  }
  cpSync('/etc/nginx/mime.types', join(root, 'mime.types'));
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${root}/${kind};`,
  );
  const main = `pid ${root}/nginx.pid; error_log ${root}/error.log; daemon off; master_process off;`;
  const http = `http { access_log off; ${temp.join(' ')}\n${config}}`;
  writeFileSync(file, `${main}\nevents {}\n${http}\n`);
  return spawn('nginx', ['-c', file, '-p', root], { stdio: 'ignore' });
}

class Clients {
  readonly #port: number;
  readonly #hasKeys: boolean;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #failures: string[] = [];
  #acknowledged = 0;
  requests = 0;

  /** `hasKeys`: without an `Idempotency-Key`, nginx cannot send a `POST` to another node. */
  constructor(port: number, hasKeys: boolean) {
    this.#port = port;
    this.#hasKeys = hasKeys;
  }

  async isThere(): Promise<boolean> {
    return this.#ask('GET', '/ready').then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  async define(): Promise<void> {
    const body = {
      name: 'Roll',
      module: 'Test',
      fields: [{ fieldname: 'title', fieldtype: 'Data' }],
      permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
    };
    const { status, text } = await this.#ask('POST', '/api/resource/DocType', body);
    if (status !== 200) throw new Error(text);
    // The other nodes know it within a second.
    let inRow = 0;
    await until(async () => {
      inRow = (await this.#ask('GET', '/api/resource/Roll')).status === 200 ? inRow + 1 : 0;
      return inRow > 50;
    });
  }

  /** Sends requests, one after another, until told to stop. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const name = await this.#expect('POST', '/api/resource/Roll', { title: 'one' });
      if (name === null) continue;
      this.#acknowledged += 1;
      await this.#expect('GET', `/api/resource/Roll/${name}`);
      await this.#expect('PUT', `/api/resource/Roll/${name}`, { title: 'two' });
      await this.#expect('GET', '/api/resource/Roll?limit_page_length=5');
    }
  }

  /** Resolves when so many more requests are answered. */
  async send(count: number): Promise<void> {
    const goal = this.requests + count;
    while (this.requests < goal) {
      const seen = this.requests;
      await until(() => this.requests > seen);
    }
  }

  outcome(): Omit<Rolled, 'stored'> {
    return { requests: this.requests, failures: this.#failures, acknowledged: this.#acknowledged };
  }

  async count(): Promise<number> {
    const { text } = await this.#ask('GET', '/api/method/frappe.client.get_count?doctype=Roll');
    return Number(JSON.parse(text).message);
  }

  async #expect(method: string, path: string, body?: object): Promise<string | null> {
    const outcome = await this.#ask(method, path, body).catch((error: unknown) => ({
      status: 0,
      text: String(error),
    }));
    this.requests += 1;
    if (outcome.status === 200) return JSON.parse(outcome.text).data?.name ?? null;
    this.#failures.push(`${method} ${path}: ${outcome.status} ${outcome.text.slice(0, 200)}`);
    return null;
  }

  #ask(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `token ${KEY}`,
        'content-type': 'application/json',
        ...(this.#hasKeys && method === 'POST' && { 'idempotency-key': randomUUID() }),
      };
      const sent = request(
        { port: this.#port, host: '127.0.0.1', agent: this.#agent, method, path, headers },
        (reply) => {
          let text = '';
          reply.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          reply.on('error', reject);
          reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text }));
        },
      );
      sent.on('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  }
}
