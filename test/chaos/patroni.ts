import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Identity, serverIdentity } from '../support/embedded-postgres.ts';
import { freePort } from '../support/free-port.ts';
import { inTheEnd, until } from '../support/until.ts';

const run = promisify(execFile);

/** A PostgreSQL server with its Patroni. */
export interface Member {
  readonly name: string;
  /** `127.0.0.1:<port>` */
  readonly host: string;
  readonly port: number;
  /** Asks the server itself. */
  ask(text: string): Promise<readonly Record<string, unknown>[]>;
  /** Starts Patroni, which starts or makes the server. */
  start(): Promise<void>;
  /** All its processes end at once, as when its machine is lost. */
  lose(): Promise<void>;
  /** The processes of PostgreSQL end at once, and Patroni goes on. */
  crash(): Promise<void>;
  /** Sends nothing more to its standbys, until it is started again. */
  fallSilent(): Promise<void>;
  /** Stops or continues all its processes. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
}

/** Three servers, one of which Patroni makes the primary, by a lease in etcd. */
export interface Patroni {
  readonly members: readonly Member[];
  /** Without etcd, nobody may be the primary. */
  readonly etcd: { signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> };
  /** Waits for a member, other than this one, that accepts changes, and has them on a standby if they must be. */
  primary(former?: Member): Promise<Member>;
  /** Waits until all others follow the primary, one of them synchronously if it must. */
  settled(): Promise<void>;
  /** Asks Patroni to promote another member. */
  switchOver(): Promise<void>;
  stop(): Promise<void>;
}

const BINARIES = '/usr/lib/postgresql/15/bin';

/** False where this is not installed: what to say instead. */
export const NO_PATRONI: string | false =
  ['patroni', 'etcd'].every((program) => spawnSync(program, ['--version']).status === 0) &&
  existsSync(join(BINARIES, 'postgres'))
    ? false
    : 'no Patroni: apt-get install patroni etcd-server postgresql-15';

/** Seconds. Patroni's own (30 and 10) are for networks; with these a loss is noticed in this time. */
const LEASE = { ttl: 5, loop_wait: 1, retry_timeout: 2 };
const POSTMASTER = 'data/postmaster.pid';
/** Patience with a server, and with a promotion; milliseconds. */
const PATIENCE = 1_000;
const PROMOTION = 120_000;

const PARAMETERS = {
  fsync: 'off',
  shared_buffers: '32MB',
  max_connections: '200',
  max_wal_size: '128MB',
  wal_keep_size: '128MB',
  log_min_messages: 'warning',
  wal_receiver_status_interval: '1s',
  wal_retrieve_retry_interval: '200ms',
};

/** Starts etcd and three members. With `synchronous`, a commit is acknowledged once it is on a standby. */
export async function startPatroni(folder: string, synchronous: boolean): Promise<Patroni> {
  const etcd = await Kept.in(folder, 'etcd');
  const members: PatroniMember[] = [];
  const stop = async () => {
    for (const member of members) await member.lose();
    await etcd.end();
  };
  try {
    const port = await startEtcd(etcd);
    for (const name of ['one', 'two', 'three']) {
      const member = new PatroniMember(name, await Kept.in(folder, name), await freePort(), await freePort());
      await member.configure(port, synchronous);
      members.push(member);
      await member.start();
    }
    const patroni = new Cluster(members, etcd, synchronous, stop);
    await patroni.settled();
    return patroni;
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Runs a program, and ends it with its children and the server in this folder when the input ends: because of
 * `end`, or because the process that began all this is gone.
 */
const KEEPER = `
folder=$1; shift
exec 3<&0
"$@" </dev/null 3<&- >>"$folder/log.txt" 2>&1 &
echo $! >"$folder/pid"
{ cat <&3 >/dev/null
  for id in $(cat "$folder/pid") $(head -1 "$folder/data/postmaster.pid" 2>/dev/null); do
    # The number may belong to another process by now.
    grep -aqs "$folder" /proc/$id/cmdline || continue
    kill -STOP $id; pkill -KILL -P $id; kill -KILL $id
  done; } 2>/dev/null &
exec 3<&-
wait
`;

/** A program of the cluster, in a folder of its own. */
class Kept {
  readonly folder: string;
  readonly #identity: Identity;
  #keeper: ChildProcess | null = null;

  private constructor(folder: string, identity: Identity) {
    this.folder = folder;
    this.#identity = identity;
  }

  static async in(parent: string, name: string): Promise<Kept> {
    const identity = await serverIdentity();
    const { uid, gid = uid } = identity;
    const folder = join(parent, name);
    await mkdir(folder, { mode: 0o700 });
    if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
    return new Kept(folder, identity);
  }

  start(...command: readonly string[]): void {
    this.#keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', this.folder, ...command], {
      ...this.#identity,
      cwd: this.folder,
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
  }

  async end(): Promise<void> {
    const keeper = this.#keeper;
    this.#keeper = null;
    if (keeper === null) return;
    const ended = once(keeper, 'exit');
    keeper.stdin?.end();
    await inTheEnd(() => ended, `the end of what runs in ${this.folder}`);
  }

  /** The number of its process, which this file tells. */
  async id(file = 'pid'): Promise<string> {
    const [id = ''] = (await readFile(join(this.folder, file), 'utf8')).split('\n');
    return id;
  }

  async signal(signal: NodeJS.Signals, file?: string): Promise<void> {
    const id = await this.id(file);
    process.kill(Number(id), signal);
    // It may have no children.
    await run('pkill', [`-${signal.slice(3)}`, '-P', id]).catch(() => {});
  }
}

async function startEtcd(kept: Kept): Promise<number> {
  const [port, peers] = [await freePort(), await freePort()];
  const [url, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peers}`];
  kept.start(
    'etcd',
    '--enable-v2',
    `--data-dir=${kept.folder}/data`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  );
  await until(() => isOk(`${url}/health`));
  return port;
}

function isOk(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

class PatroniMember implements Member {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Of Patroni's own interface. */
  readonly api: string;
  readonly #kept: Kept;

  constructor(name: string, kept: Kept, port: number, api: number) {
    this.name = name;
    this.port = port;
    this.host = `127.0.0.1:${port}`;
    this.api = `127.0.0.1:${api}`;
    this.#kept = kept;
  }

  async configure(etcd: number, synchronous: boolean): Promise<void> {
    const superuser = { username: 'postgres', password: 'unused' };
    const text = {
      scope: 'chancery',
      name: this.name,
      restapi: { listen: this.api, connect_address: this.api },
      // With etcd3, Patroni 3.0 did not notice after a pause that another member had its lease.
      etcd: { host: `127.0.0.1:${etcd}` },
      bootstrap: {
        dcs: {
          ...LEASE,
          primary_start_timeout: 0,
          synchronous_mode: synchronous,
          postgresql: { use_pg_rewind: true, use_slots: true, parameters: PARAMETERS },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums', 'no-sync'],
      },
      postgresql: {
        listen: this.host,
        connect_address: this.host,
        data_dir: join(this.#kept.folder, 'data'),
        bin_dir: BINARIES,
        pgpass: join(this.#kept.folder, 'pgpass'),
        authentication: { superuser, replication: superuser, rewind: superuser },
        parameters: { unix_socket_directories: '' },
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      },
    };
    // JSON is YAML.
    await writeFile(join(this.#kept.folder, 'patroni.yml'), JSON.stringify(text, null, 2));
  }

  async ask(text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({
      connectionString: `postgres://postgres@${this.host}/postgres`,
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      client.end().catch(() => {});
    }
  }

  async start(): Promise<void> {
    this.#kept.start('patroni', join(this.#kept.folder, 'patroni.yml'));
    await until(() => isOk(`http://${this.api}/liveness`));
  }

  lose(): Promise<void> {
    return this.#kept.end();
  }

  crash(): Promise<void> {
    return this.#kept.signal('SIGKILL', POSTMASTER);
  }

  async fallSilent(): Promise<void> {
    await run('pkill', ['-STOP', '-P', await this.#kept.id(POSTMASTER), '-f', 'walsender']);
  }

  async signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    await this.#kept.signal(signal);
    await this.#kept.signal(signal, POSTMASTER);
  }
}

/** Committed, and on a standby if it must be. */
const WRITE = `select pg_logical_emit_message(true, 'failover', '')`;
const FOLLOWERS = `select count(*)::int as count from pg_stat_replication where state = 'streaming'`;

class Cluster implements Patroni {
  readonly members: readonly PatroniMember[];
  readonly etcd: Patroni['etcd'];
  readonly stop: () => Promise<void>;
  readonly #synchronous: boolean;

  constructor(
    members: readonly PatroniMember[],
    etcd: Patroni['etcd'],
    synchronous: boolean,
    stop: () => Promise<void>,
  ) {
    this.members = members;
    this.etcd = etcd;
    this.stop = stop;
    this.#synchronous = synchronous;
  }

  async primary(former?: Member): Promise<PatroniMember> {
    for (const end = performance.now() + PROMOTION; performance.now() < end; await pause(20)) {
      const others = this.members.filter((member) => member !== former);
      const writes = others.map((member) => member.ask(WRITE).then(() => member));
      const found = await Promise.any(writes).catch(() => null);
      if (found) return found;
    }
    throw new Error('no member became the primary');
  }

  async settled(): Promise<void> {
    await until(async () => {
      const primary = await this.primary();
      const [row] = await primary.ask(FOLLOWERS).catch(() => []);
      // Patroni promotes nobody but the standby that it has noted as synchronous in etcd.
      const known = await fetch(`http://${primary.api}/cluster`).then((reply) => reply.json());
      const noted = known.members.filter(({ role }: { role: string }) => role === 'sync_standby');
      return row?.['count'] === this.members.length - 1 && noted.length === Number(this.#synchronous);
    });
  }

  async switchOver(): Promise<void> {
    const { name, api } = await this.primary();
    const body = JSON.stringify({ leader: name });
    const reply = await fetch(`http://${api}/switchover`, { method: 'POST', body });
    if (!reply.ok) throw new Error(`Patroni: ${reply.status} ${await reply.text()}`);
  }
}
