import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../support/postgres.ts';
import { startProxy, type Proxy as TcpProxy } from '../support/proxy.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { siteDatabase } from '../support/site-database.ts';
import { PERSISTENT_WEBHOOKS } from './persistent-webhooks.ts';
import type { OpenSender, Sender, SenderNode } from './sender.ts';

const KEY = 'torture-key:torture-secret-0123456789';
const HEADERS = { authorization: `token ${KEY}`, 'content-type': 'application/json' };
const ENV = {
  CHANCERY_ADMIN_API_KEY: KEY,
  ...PERSISTENT_WEBHOOKS,
  CHANCERY_RATE_LIMITS_PER_KEY: '1000000000',
  CHANCERY_RATE_LIMITS_PER_USER: '1000000000',
  CHANCERY_RATE_LIMITS_PER_ADDRESS: '1000000000',
};
const SHIFTED_CLOCK = fileURLToPath(new URL('shifted-clock.ts', import.meta.url));
/** Webhooks made with one request. On a busy machine, too, it takes far less than a transaction may. */
const BULK = 50;

/**
 * Chancery from this checkout, in processes of its own. A topic is a doctype. Of several workers, SIGKILL ends one
 * that is then replaced, and every third time the supervisor.
 */
export const chancery =
  (engine: Engine, workers = 1): OpenSender =>
  async () => {
    const data = await mkdtemp(join(tmpdir(), 'chancery-torture-'));
    const { url: database, drop } = await siteDatabase(engine, data);
    const running = new Set<ServerProcess>();
    const proxies: TcpProxy[] = [];
    const topics = new Set<string>();
    let nodes = 0;
    let kept: ChanceryNode | null = null;
    const sender: Sender = {
      name: `chancery on ${engine}${workers > 1 ? ` with ${workers} workers` : ''}`,
      hasNodes: engine === 'postgres',
      async start({ clockFile } = {}) {
        // A server whose worker was killed goes on.
        if (kept && running.size > 0) return kept;
        nodes += 1;
        const argv = [
          '--workers',
          String(workers),
          '--data',
          engine === 'postgres' ? join(data, String(nodes)) : data,
          '--files',
          join(data, 'files'),
        ];
        const proxy = database ? await startProxy(hostOf(database)) : null;
        if (proxy) proxies.push(proxy);
        if (database && proxy) argv.push('--database', through(database, proxy));
        // Every process of a site has the same key of secrets.
        const env = { ...ENV, ...(database ? { CHANCERY_SECRET_KEY: SECRET_KEY } : {}), ...clock(clockFile) };
        const server = await startServerProcess(argv, { env, deadline: 3_600_000 });
        running.add(server);
        void server.finished.then(() => running.delete(server));
        const node = nodeOf(server, proxy);
        if (workers === 1) return node;
        kept = { ...node, signal: killInTurn(server) };
        return kept;
      },
      async subscribe(node, topic, urls, { timeout }) {
        const { call } = node as ChanceryNode;
        if (!topics.has(topic)) await call('POST', 'resource/DocType', doctype(topic));
        topics.add(topic);
        const docs = urls.map((url) => ({
          doctype: 'Webhook',
          webhook_doctype: topic,
          webhook_docevent: 'on_change',
          request_url: url,
          timeout,
        }));
        for (let from = 0; from < docs.length; from += BULK) {
          await call('POST', 'method/frappe.client.insert_many', { docs: docs.slice(from, from + BULK) });
        }
      },
      read(headers, body) {
        const { name, step } = JSON.parse(body.toString());
        return { id: String(headers['webhook-id']), change: { name, step } };
      },
      sentAt: (headers) => Number(headers['webhook-timestamp']),
      async close() {
        await Promise.all([...running].map((server) => server.end('SIGKILL')));
        await Promise.all(proxies.map((proxy) => proxy.cut()));
        await drop();
        await rm(data, { recursive: true, force: true });
      },
    };
    return sender;
  };

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

interface ChanceryNode extends SenderNode {
  call(method: string, path: string, body?: object): Promise<unknown>;
}

function nodeOf(server: ServerProcess, proxy: TcpProxy | null): ChanceryNode {
  const pid = server.child.pid ?? 0;
  async function call(method: string, path: string, body?: object): Promise<unknown> {
    const init = body ? { body: JSON.stringify(body) } : {};
    const reply = await fetch(`${server.url}/api/${path}`, { method, headers: HEADERS, ...init });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(text);
    return JSON.parse(text);
  }
  return {
    pid,
    call,
    async save(topic, { name, step }) {
      if (step === 0) await call('POST', `resource/${topic}`, { name, step });
      else await call('PUT', `resource/${topic}/${name}`, { step });
    },
    async undo(topic, name) {
      // The first is inserted, the second exists: the whole call is undone.
      const docs = [{ name: `undone-${name}` }, { name }].map((doc) => ({ doctype: topic, ...doc }));
      const made = await call('POST', 'method/frappe.client.insert_many', { docs }).then(
        () => true,
        () => false,
      );
      if (made) throw new Error(`${name} was made twice`);
    },
    async stored(topic) {
      const path = `resource/${topic}?fields=["name","step"]&limit_page_length=0`;
      const { data } = (await call('GET', path)) as { data: { name: string; step: number }[] };
      return new Map(data.map(({ name, step }) => [name, step]));
    },
    async waiting() {
      const filters = encodeURIComponent('[["status","in",["Pending","Failed"]]]');
      const path = `method/frappe.client.get_count?doctype=Webhook Request Log&filters=${filters}`;
      const { message } = (await call('GET', path)) as { message: number };
      return message;
    },
    async signal(signal) {
      if (signal === 'SIGSTOP' || signal === 'SIGCONT') server.child.kill(signal);
      else await server.end(signal);
    },
    cutOff: async () => proxy?.cut(),
    mend: async () => proxy?.mend(),
  };
}

/** Kills workers, and every third time the supervisor. */
function killInTurn(server: ServerProcess): SenderNode['signal'] {
  let kills = 0;
  return async (signal) => {
    kills += 1;
    const workers = childrenOf(server.child.pid ?? 0);
    const victim = workers[kills % workers.length];
    if (kills % 3 === 0 || victim === undefined) await server.end(signal);
    else process.kill(victim, signal);
  };
}

function childrenOf(parent: number): number[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  return rows.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid] : []));
}

function doctype(name: string): object {
  return {
    name,
    module: 'Test',
    autoname: 'prompt',
    fields: [{ fieldname: 'step', label: 'Step', fieldtype: 'Int' }],
    permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
  };
}

function clock(file: string | undefined): Record<string, string> {
  return file ? { TORTURE_CLOCK: file, NODE_OPTIONS: `--import=${SHIFTED_CLOCK}` } : {};
}

function hostOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) || 5432 };
}

function through(url: string, { port }: TcpProxy): string {
  const near = new URL(url);
  near.host = `127.0.0.1:${port}`;
  return near.href;
}
