import { type ChildProcess, execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from '../support/free-port.ts';
import { type MessageProxy, startMessageProxy } from '../support/message-proxy.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';
import { type PostgresNode, startCluster } from '../support/postgres-cluster.ts';
import { startProxy, type Proxy as TcpProxy } from '../support/proxy.ts';
import { NO_S3, newBucket, startS3 } from '../support/s3.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { PERSISTENT_WEBHOOKS } from '../torture/persistent-webhooks.ts';
import type { Failover } from './failovers.ts';
import { type Patroni, startPatroni } from './patroni.ts';
import { startProxy as startHaproxy } from './rolling.ts';

/** The key of a System Manager of the site. */
export const KEY = 'chaos-key:chaos-secret-0123456789';
const SHIFTED_CLOCK = fileURLToPath(new URL('../torture/shifted-clock.ts', import.meta.url));
const ENV = {
  CHANCERY_ADMIN_API_KEY: KEY,
  CHANCERY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  CHANCERY_TRUST_PROXY: '127.0.0.1',
  CHANCERY_SHUTDOWN_GRACE: '3000',
  CHANCERY_RATE_LIMITS_PER_KEY: '0',
  CHANCERY_RATE_LIMITS_PER_USER: '0',
  CHANCERY_RATE_LIMITS_PER_ADDRESS: '0',
  ...PERSISTENT_WEBHOOKS,
};
const DISK = '1200m';

/** A node, and what stands between it and the database. */
export interface ChaosNode {
  server: ServerProcess;
  /** One for each server of the database. */
  readonly proxies: readonly TcpProxy[];
  /** The file with the milliseconds by which its clock is ahead. */
  readonly clock: string;
  start(): Promise<void>;
}

/** A primary and its synchronous standby, which the suite promotes by itself. */
export interface Pair {
  primary: PostgresNode;
  standby: PostgresNode;
}

/** Three nodes behind haproxy, on a cluster of PostgreSQL or behind a pooler, with files in S3. */
export interface World {
  /** Where clients send their requests: haproxy. */
  readonly url: string;
  /** Keeps logs. */
  readonly root: string;
  readonly nodes: readonly ChaosNode[];
  /** Null: Patroni decides who is the primary. */
  readonly pair: Pair | null;
  readonly patroni: Patroni | null;
  /** The losses of primaries under Patroni. */
  readonly failovers: Failover[];
  /** What stands between the nodes and the primary. */
  messages(): Promise<MessageProxy>;
  /** What stands between the nodes and S3; null: files are in a directory. */
  readonly storage: TcpProxy | null;
  /** The place of the database's disk, which can be filled; null: this user may not mount one. */
  readonly disk: string | null;
  readonly hasPooler: boolean;
  /** Whether the database answers a node that connects now. */
  answers(): Promise<boolean>;
  /** Ends everything, and keeps the logs when asked to. */
  close(keep: boolean): Promise<void>;
}

/** What a world consists of. */
export interface Parts {
  /** The cluster of the database. */
  readonly database: 'pair' | 'pooler' | 'patroni';
  /** With Patroni: whether a commit waits for a standby. */
  readonly synchronous: boolean;
  readonly s3: boolean;
}

/** Starts all of it. */
export async function openWorld(options: Parts): Promise<World> {
  const root = mkdtempSync(join(tmpdir(), 'chancery-chaos-'));
  // PostgreSQL runs as another user.
  chmodSync(root, 0o711);
  // Each promotion begins new segments of the log, which fill a small disk.
  const disk = options.database === 'patroni' ? null : mountDisk(root);
  const closing: (() => unknown)[] = [];
  try {
    const { pair, patroni, servers } = await openDatabases(options, disk ?? root, closing);
    const { urls, messages } = await openProxies(servers, options.database === 'pooler', closing);
    const s3 = options.s3 && NO_S3 === false ? await startS3() : null;
    if (s3) closing.push(() => s3.stop());
    const storage = s3 && (await startProxy({ host: '127.0.0.1', port: Number(new URL(s3.endpoint).port) }));
    if (storage) closing.push(() => storage.cut());
    const files =
      s3 && storage ? await newBucket(s3, `http://127.0.0.1:${storage.port}`) : join(root, 'files');
    const nodes: ChaosNode[] = [];
    closing.push(() => Promise.all(nodes.map(({ server }) => server.end('SIGKILL'))));
    const ports: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      ports.push(await freePort());
      const env = {
        ...ENV,
        CHANCERY_FILES: files,
        ...(options.database === 'pooler' && { CHANCERY_DATABASE_LISTEN_URL: urlOf(servers) }),
      };
      nodes.push(await openNode(join(root, `node-${index}`), ports[index] ?? 0, urls, env, closing));
    }
    const port = await freePort();
    const haproxy: ChildProcess = startHaproxy('haproxy', root, port, ports);
    closing.push(() => haproxy.kill('SIGTERM'));
    const url = `http://127.0.0.1:${port}`;
    await until(() =>
      fetch(`${url}/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    const world: World = {
      url,
      root,
      nodes,
      pair,
      patroni,
      failovers: [],
      async messages() {
        const proxy = messages.get(((await patroni?.primary()) ?? pair?.primary)?.port ?? 0);
        if (!proxy) throw new Error('no proxy');
        return proxy;
      },
      storage,
      disk,
      hasPooler: options.database === 'pooler',
      answers: async () => answers((await world.messages()).port),
      close: (keep) => closeWorld(world, closing, keep),
    };
    if (pair && world.hasPooler) await pair.standby.kill();
    else if (pair) await synchronize(pair, true);
    return world;
  } catch (error) {
    for (const close of closing.reverse()) await close();
    if (disk) execFileSync('umount', ['-l', disk]);
    throw error;
  }
}

/** With a synchronous standby, a commit is acknowledged once it is on both servers. */
export async function synchronize({ primary }: Pair, isOn: boolean): Promise<void> {
  const names = isOn ? '*' : '';
  await primary.ask(`alter system set synchronous_standby_names = '${names}'`);
  await primary.ask('select pg_reload_conf()');
  const query = `select from pg_stat_replication where sync_state in ('sync', 'quorum')`;
  if (isOn) await until(async () => (await primary.ask(query)).length > 0);
}

type Servers = readonly { readonly host: string; readonly port: number }[];

async function openDatabases(
  { database, synchronous }: Parts,
  folder: string,
  closing: (() => unknown)[],
): Promise<{ pair: Pair | null; patroni: Patroni | null; servers: Servers }> {
  if (database === 'patroni') {
    const patroni = await startPatroni(folder, synchronous);
    closing.push(() => patroni.stop());
    return { pair: null, patroni, servers: patroni.members };
  }
  const cluster = await startCluster(
    { max_connections: '200', max_wal_size: '128MB', wal_keep_size: '128MB', log_min_messages: 'warning' },
    folder,
  );
  closing.push(() => cluster.stop());
  const { primary, standby } = cluster;
  const servers = database === 'pooler' ? [primary] : [primary, standby];
  return { pair: { primary, standby }, patroni: null, servers };
}

const urlOf = ([server]: Servers) => `postgres://postgres@${server?.host}/postgres?unsafe=1`;

interface Databases {
  /** The host of each, as the nodes reach them. */
  readonly urls: readonly { readonly host: string; readonly port: number }[];
  /** By the port of the server. */
  readonly messages: ReadonlyMap<number, MessageProxy>;
}

async function openProxies(
  servers: Servers,
  hasPooler: boolean,
  closing: (() => unknown)[],
): Promise<Databases> {
  const messages = new Map<number, MessageProxy>();
  for (const { port } of servers) {
    const target = { host: '127.0.0.1', port };
    if (hasPooler) {
      const pgbouncer = await startPgBouncer(`postgres://postgres@127.0.0.1:${port}/postgres`, {
        default_pool_size: '40',
      });
      closing.push(() => pgbouncer.stop());
      target.port = Number(new URL(pgbouncer.through(`postgres://127.0.0.1:${port}/postgres`)).port);
    }
    const proxy = await startMessageProxy(target);
    closing.push(() => proxy.close());
    messages.set(port, proxy);
  }
  return { messages, urls: Array.from(messages.values(), ({ port }) => ({ host: '127.0.0.1', port })) };
}

async function answers(port: number): Promise<boolean> {
  const client = new pg.Client({ connectionString: `postgres://postgres@127.0.0.1:${port}/postgres` });
  client.on('error', () => {});
  const asked = client.connect().then(() => client.query('select 1'));
  return asked
    .then(
      () => true,
      () => false,
    )
    .finally(() => client.end());
}

async function openNode(
  data: string,
  port: number,
  databases: Databases['urls'],
  env: Readonly<Record<string, string>>,
  closing: (() => unknown)[],
): Promise<ChaosNode> {
  const proxies = await Promise.all(databases.map((database) => startProxy(database)));
  closing.push(() => Promise.all(proxies.map((proxy) => proxy.cut())));
  const hosts = proxies.map((proxy) => `127.0.0.1:${proxy.port}`).join(',');
  const clock = `${data}.clock`;
  writeFileSync(clock, '0');
  const all = {
    ...env,
    CHANCERY_DATABASE: `postgres://postgres@${hosts}/postgres?unsafe=1&schema=public&target_session_attrs=read-write`,
    TORTURE_CLOCK: clock,
    NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`,
  };
  const argv = ['--data', data, '--port', String(port), '--apps', ''];
  const launch = async () => {
    const server = await startServerProcess(argv, { env: all, deadline: 3_600_000 });
    void server.finished.then(({ stdout, stderr }) =>
      writeFileSync(`${data}-${server.child.pid}.log`, stdout + stderr),
    );
    return server;
  };
  const node: ChaosNode = {
    server: await launch(),
    proxies,
    clock,
    async start() {
      node.server = await launch();
    },
  };
  return node;
}

function mountDisk(root: string): string | null {
  const disk = mkdtempSync(join(root, 'disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=755`, 'tmpfs', disk], { stdio: 'ignore' });
    return disk;
  } catch {
    return null;
  }
}

async function closeWorld(
  { disk, root }: World,
  closing: readonly (() => unknown)[],
  keep: boolean,
): Promise<void> {
  for (const close of closing.toReversed()) await close();
  if (disk) execFileSync('umount', ['-l', disk]);
  if (!keep) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}
