import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { inTheEnd, until } from './until.ts';

export interface WorkerReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  readonly body: any;
}

/** The caller by an API key or a cookie, and the body. */
export interface WorkerRequest {
  readonly as?: string;
  readonly cookie?: string;
  readonly body?: object;
}

/** A connection to one worker of a server. */
export interface WorkerConnection {
  readonly pid: number;
  /** Its number; the first one writes, where one writes for all. */
  readonly number: number;
  /** Rejects when the connection breaks. */
  request(method: string, path: string, options?: WorkerRequest): Promise<WorkerReply>;
  close(): void;
}

/**
 * An app by which a test tells the workers apart. `probe.hold` blocks a worker until the file `release` exists, so
 * that the next connection reaches another one. `extra` is code of its module.
 */
export function writeProbeApp(folder: string, extra = ''): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'app.ts'),
    `import { existsSync, writeFileSync } from 'node:fs';
import { defineApp, defineMethod } from 'chancery';
${extra}
const folder = ${JSON.stringify(folder)};
export default defineApp({
  name: 'probe',
  methods: {
    'probe.pid': defineMethod({ http: ['GET'], allowGuest: true, run: async () => [process.pid, Number(process.env._CHANCERY_WORKER)] }),
    'probe.hold': defineMethod({
      http: ['GET'],
      allowGuest: true,
      run: async () => {
        writeFileSync(folder + '/held-' + process.pid, '');
        const cell = new Int32Array(new SharedArrayBuffer(4));
        while (!existsSync(folder + '/release')) Atomics.wait(cell, 0, 0, 10);
        return process.pid;
      },
    }),
  },
});
`,
  );
  return folder;
}

/** A connection to each of the workers of a server with the probe app of `folder`. */
export async function reachWorkers(
  url: string,
  count: number,
  folder: string,
): Promise<readonly WorkerConnection[]> {
  const reached: WorkerConnection[] = [];
  const held: Promise<unknown>[] = [];
  try {
    while (reached.length < count) {
      const worker = await connectToWorker(url);
      reached.push(worker);
      held.push((await holdWorker(worker, folder)).reply);
    }
  } finally {
    releaseWorkers(folder);
  }
  await Promise.all(held);
  return reached;
}

/** Blocks a worker until `releaseWorkers`; it answers afterwards. */
export async function holdWorker(
  worker: WorkerConnection,
  folder: string,
): Promise<{ readonly reply: Promise<WorkerReply> }> {
  const held = join(folder, `held-${worker.pid}`);
  rmSync(join(folder, 'release'), { force: true });
  const reply = worker.request('GET', '/api/method/probe.hold');
  await until(() => existsSync(held));
  rmSync(held);
  return { reply };
}

/** Lets the held workers go on. */
export function releaseWorkers(folder: string): void {
  writeFileSync(join(folder, 'release'), '');
}

async function connectToWorker(url: string): Promise<WorkerConnection> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { body } = await ask(agent, url, 'GET', '/api/method/probe.pid');
  const [pid, number] = body.message;
  return {
    pid,
    number,
    request: (method, path, options) => ask(agent, url, method, path, options),
    close: () => agent.destroy(),
  };
}

function ask(
  agent: Agent,
  url: string,
  method: string,
  path: string,
  { as, cookie, body }: WorkerRequest = {},
): Promise<WorkerReply> {
  const sent = new Promise<WorkerReply>((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      ...(cookie !== undefined && { cookie }),
      ...(as !== undefined && { authorization: `token ${as}` }),
    };
    const asked = request(new URL(path, url), { agent, method, headers }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      reply.on('error', reject);
      reply.on('end', () => {
        const isJson = String(reply.headers['content-type']).startsWith('application/json');
        const { statusCode: status = 0, headers: received } = reply;
        resolve({ status, headers: received, text, body: isJson ? JSON.parse(text) : null });
      });
    });
    asked.on('error', reject);
    asked.end(body && JSON.stringify(body));
  });
  return inTheEnd(() => sent, `the reply to ${method} ${path}`);
}
