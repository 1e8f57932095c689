import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Identity, postgresPrograms } from './embedded-postgres.ts';
import { freePort } from './free-port.ts';
import { inTheEnd, until } from './until.ts';

const run = promisify(execFile);

/** A PostgreSQL server whose data outlives it. */
export interface PostgresNode {
  readonly port: number;
  /** `127.0.0.1:<port>` */
  readonly host: string;
  /** The directory of its data. */
  readonly data: string;
  /** A new connection to the server itself, not open yet. */
  connection(): pg.Client;
  /** Asks the server itself. */
  ask(text: string): Promise<readonly Record<string, unknown>[]>;
  /** Starts it, as a standby of another if one is named. */
  start(primary?: PostgresNode): Promise<void>;
  /** Kills it, so that it has no time to send anything. */
  kill(): Promise<void>;
  /** Sends the server a signal that ends it, and resolves when it has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Starts it if it has ended by itself, and resolves when it answers. */
  revive(): Promise<void>;
  /** Starts it as a standby with a fresh copy of the data of a running server. */
  rebuild(primary: PostgresNode): Promise<void>;
  /** Copies its data while it runs into a directory that does not exist, as `pg_basebackup` would. */
  copyTo(directory: string): Promise<void>;
  /** Starts it with a copy of data, which it brings to a moment with the help of these settings. */
  recover(copy: string, settings: string): Promise<void>;
}

/** One server that was not started yet, and a folder beside its data. */
export interface PostgresServer {
  readonly node: PostgresNode;
  readonly directory: string;
  stop(): Promise<void>;
}

/** Makes a server with the PostgreSQL that npm brought. `settings` is told the folder for anything else. */
export async function makeServer(
  settings: (directory: string) => Readonly<Record<string, string>>,
): Promise<PostgresServer> {
  const { directory, data, program, identity } = await makeData(tmpdir());
  const node = new Node(program, data, identity, await freePort(), settings(directory));
  return {
    node,
    directory,
    async stop() {
      await node.kill();
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** A primary and its streaming standby, both started. */
export interface PostgresCluster {
  readonly primary: PostgresNode;
  readonly standby: PostgresNode;
  stop(): Promise<void>;
}

/**
 * Makes two servers with the PostgreSQL that npm brought. The standby begins with a copy of the primary's data,
 * made before its first start. `settings` are for both, and the data is in a new directory in `parent`.
 */
export async function startCluster(
  settings: Readonly<Record<string, string>> = {},
  parent = tmpdir(),
): Promise<PostgresCluster> {
  const { directory, data: first, program, identity } = await makeData(parent);
  const second = join(directory, 'two');
  spawnSync('cp', ['-a', first, second]);
  const nodes: Node[] = [];
  for (const data of [first, second])
    nodes.push(new Node(program, data, identity, await freePort(), settings));
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

/** The empty data of a server, in a new directory that belongs to its user. */
async function makeData(parent: string) {
  const directory = await mkdtemp(join(parent, 'chancery-cluster-'));
  const { binaries, identity } = await postgresPrograms(directory);
  const own = async (path: string) => {
    if (identity.uid !== undefined) await chown(path, identity.uid, identity.gid ?? identity.uid);
  };
  await own(directory);
  const data = join(directory, 'one');
  const made = spawnSync(
    join(binaries, 'initdb'),
    [`--pgdata=${data}`, '--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...identity, cwd: directory, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  return { directory, data, program: join(binaries, 'postgres'), identity };
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
  readonly data: string;
  readonly #identity: Identity;
  #keeper: ChildProcess | null = null;

  constructor(
    program: string,
    data: string,
    identity: Identity,
    port: number,
    settings: Readonly<Record<string, string>>,
  ) {
    this.port = port;
    this.host = `127.0.0.1:${port}`;
    this.data = data;
    this.#identity = identity;
    const all = Object.entries({ ...SETTINGS, ...settings, port: String(port) });
    this.#command = [program, '-D', data, ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  }

  connection(): pg.Client {
    const client = new pg.Client({ connectionString: `postgres://postgres@${this.host}/postgres` });
    client.on('error', () => {});
    return client;
  }

  async ask(text: string): Promise<readonly Record<string, unknown>[]> {
    const client = this.connection();
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
      cwd: this.data,
      env: { ...process.env, LOG: join(this.data, 'log.txt') },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#keeper = keeper;
    keeper.unref();
    (keeper.stdin as unknown as { unref?(): void }).unref?.();
    await until(() => this.#isThere());
  }

  async kill(): Promise<void> {
    await this.#ended(async (keeper) => keeper.stdin?.end());
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const [pid] = (await readFile(join(this.data, 'postmaster.pid'), 'utf8')).split('\n');
    await this.#ended(async () => process.kill(Number(pid), signal));
  }

  async revive(): Promise<void> {
    await until(async () => {
      if (this.#keeper?.exitCode !== null) await this.start();
      return this.#isThere();
    });
  }

  async rebuild(primary: PostgresNode): Promise<void> {
    await this.kill();
    await rm(this.data, { recursive: true, force: true });
    await primary.copyTo(this.data);
    await this.start(primary);
  }

  async copyTo(directory: string): Promise<void> {
    const client = this.connection();
    await client.connect();
    await client.query(`select pg_backup_start('copy', true)`);
    // Files that the server removes meanwhile are missing in the copy. It replays what happened to them.
    await run('cp', ['-a', this.data, directory]).catch(() => {});
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    await client.end();
    await this.#write('backup_label', rows[0].labelfile, directory);
    await rm(join(directory, 'postmaster.pid'), { force: true });
  }

  async recover(copy: string, settings: string): Promise<void> {
    await this.kill();
    await rm(this.data, { recursive: true, force: true });
    await run('cp', ['-a', copy, this.data]);
    await appendFile(join(this.data, 'postgresql.auto.conf'), settings);
    await this.#write('recovery.signal', '');
    await this.start();
  }

  #isThere(): Promise<boolean> {
    return this.ask('select 1').then(
      () => true,
      () => false,
    );
  }

  async #ended(end: (keeper: ChildProcess) => Promise<unknown>): Promise<void> {
    const keeper = this.#keeper;
    this.#keeper = null;
    if (keeper === null || keeper.exitCode !== null) return;
    const ended = once(keeper, 'exit');
    await end(keeper);
    await inTheEnd(() => ended, `the end of the server at ${this.host}`);
    // Otherwise what waits for the end of the input would live on.
    keeper.stdin?.end();
  }

  async #follow(primary: PostgresNode): Promise<void> {
    await this.#write('standby.signal', '');
    await appendFile(
      join(this.data, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres'\n`,
    );
  }

  async #write(name: string, text: string, directory = this.data): Promise<void> {
    const path = join(directory, name);
    await writeFile(path, text);
    const { uid, gid = uid } = this.#identity;
    if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
  }
}
