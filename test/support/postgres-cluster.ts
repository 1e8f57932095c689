import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Identity, postgresPrograms } from './embedded-postgres.ts';
import { freePort } from './free-port.ts';
import { inTheEnd, until } from './until.ts';

/** A PostgreSQL server whose data outlives it. */
export interface PostgresNode {
  readonly port: number;
  /** `127.0.0.1:<port>` */
  readonly host: string;
  /** Asks the server itself. */
  ask(text: string): Promise<readonly Record<string, unknown>[]>;
  /** Starts it, as a standby of another if one is named. */
  start(primary?: PostgresNode): Promise<void>;
  /** Kills it, so that it has no time to send anything. */
  kill(): Promise<void>;
}

/** A primary and its streaming standby, both started. */
export interface PostgresCluster {
  readonly primary: PostgresNode;
  readonly standby: PostgresNode;
  stop(): Promise<void>;
}

/**
 * Makes two servers with the PostgreSQL that npm brought. The standby begins with a copy of the primary's data,
 * made before its first start. `settings` are for both.
 */
export async function startCluster(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'chancery-cluster-'));
  const { binaries, identity } = await postgresPrograms(directory);
  const own = async (path: string) => {
    if (identity.uid !== undefined) await chown(path, identity.uid, identity.gid ?? identity.uid);
  };
  await own(directory);
  const [first, second] = [join(directory, 'one'), join(directory, 'two')];
  const made = spawnSync(
    join(binaries, 'initdb'),
    [
      `--pgdata=${first}`,
      '--auth=trust',
      '--username=postgres',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { ...identity, cwd: directory, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  spawnSync('cp', ['-a', first, second]);
  const nodes: Node[] = [];
  for (const data of [first, second])
    nodes.push(new Node(join(binaries, 'postgres'), data, identity, await freePort(), settings));
  const [primary, standby] = nodes as [Node, Node];
  await primary.start();
  await standby.start(primary);
  return {
    primary,
    standby,
    async stop() {
      for (const node of nodes) await node.kill();
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Ends the server when the input ends: because of `kill`, or because the process of the tests is gone. */
const KEEPER = `
exec 3<&0
"$@" </dev/null 3<&- >/dev/null 2>>"$LOG" &
server=$!
{ cat <&3 >/dev/null; while kill -QUIT $server 2>/dev/null; do sleep 0.1; done; } &
exec 3<&-
wait $server
`;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  shared_buffers: '32MB',
  wal_keep_size: '64MB',
  hot_standby: 'on',
  wal_receiver_status_interval: '1s',
  wal_retrieve_retry_interval: '200ms',
};

class Node implements PostgresNode {
  readonly port: number;
  readonly host: string;
  readonly #command: readonly string[];
  readonly #data: string;
  readonly #identity: Identity;
  #stop: (() => Promise<void>) | null = null;

  constructor(
    program: string,
    data: string,
    identity: Identity,
    port: number,
    settings: Readonly<Record<string, string>>,
  ) {
    this.port = port;
    this.host = `127.0.0.1:${port}`;
    this.#data = data;
    this.#identity = identity;
    const all = Object.entries({ ...SETTINGS, ...settings, port: String(port) });
    this.#command = [program, '-D', data, ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  }

  async ask(text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: `postgres://postgres@${this.host}/postgres` });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async start(primary?: PostgresNode): Promise<void> {
    if (primary) await this.#follow(primary);
    const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', ...this.#command], {
      ...this.#identity,
      cwd: this.#data,
      env: { ...process.env, LOG: join(this.#data, 'log.txt') },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#stop = async () => {
      if (keeper.exitCode !== null) return;
      const ended = once(keeper, 'exit');
      keeper.stdin?.end();
      await inTheEnd(() => ended, `the end of the server at ${this.host}`);
    };
    keeper.unref();
    (keeper.stdin as unknown as { unref?(): void }).unref?.();
    await until(() =>
      this.ask('select 1').then(
        () => true,
        () => false,
      ),
    );
  }

  async kill(): Promise<void> {
    await this.#stop?.();
    this.#stop = null;
  }

  async #follow(primary: PostgresNode): Promise<void> {
    const signal = join(this.#data, 'standby.signal');
    await writeFile(signal, '');
    await appendFile(
      join(this.#data, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres'\n`,
    );
    const { uid, gid = uid } = this.#identity;
    if (uid !== undefined && gid !== undefined) await chown(signal, uid, gid);
  }
}
