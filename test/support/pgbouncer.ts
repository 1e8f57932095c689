import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { serverIdentity } from './embedded-postgres.ts';
import { freePort } from './free-port.ts';
import { inTheEnd, until } from './until.ts';

/** A PgBouncer before a PostgreSQL. */
export interface PgBouncer {
  /** The same URL through the pooler, with its schema. */
  through(url: string): string;
  /** Its connections to the server. */
  servers(): Promise<readonly unknown[]>;
  stop(): Promise<void>;
}

/** Debian puts it where only root's PATH leads. */
const PROGRAM = process.env['PGBOUNCER_PATH'] ?? '/usr/sbin/pgbouncer';

/** False where there is no PgBouncer: what to say when tests are skipped, for `test`'s option `skip`. */
export const NO_PGBOUNCER: string | false =
  spawnSync(PROGRAM, ['--version']).status === 0 ? false : 'no PgBouncer: apt-get install pgbouncer';

/**
 * Starts PgBouncer on a free port of 127.0.0.1. It ends with this process at the latest. No connection behind it
 * has a schema in its search path, so that no statement works that leaves its schema out.
 */
export async function startPgBouncer(
  postgres: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<PgBouncer> {
  const identity = await serverIdentity();
  const directory = await mkdtemp(join(tmpdir(), 'chancery-pgbouncer-'));
  const port = await freePort();
  const server = new URL(postgres);
  const file = join(directory, 'pgbouncer.ini');
  const all = { ...SETTINGS, listen_port: String(port), ...settings };
  await writeFile(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port} user=postgres connect_query='set search_path to pg_catalog'
[pgbouncer]
${Object.entries(all)
  .map(([name, value]) => `${name} = ${value}`)
  .join('\n')}
`,
  );
  if (identity.uid !== undefined) await chown(directory, identity.uid, identity.gid ?? identity.uid);
  if (identity.uid !== undefined) await chown(file, identity.uid, identity.gid ?? identity.uid);
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', PROGRAM, file], {
    ...identity,
    cwd: directory,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  await until(() => answers(port));
  keeper.unref();
  (keeper.stdin as unknown as { unref?(): void }).unref?.();
  return {
    through(url) {
      const pooled = new URL(url);
      pooled.port = String(port);
      if (!pooled.searchParams.has('schema')) pooled.searchParams.set('schema', 'public');
      return pooled.href;
    },
    async servers() {
      const console = new pg.Client(`postgres://postgres@127.0.0.1:${port}/pgbouncer`);
      await console.connect();
      try {
        return (await console.query('show servers')).rows;
      } finally {
        await console.end();
      }
    },
    async stop() {
      const ended = once(keeper, 'exit');
      keeper.stdin?.end();
      await inTheEnd(() => ended, 'the end of PgBouncer');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Ends the pooler when the input ends: because of `stop`, or because the process of the tests is gone. */
const KEEPER = `
exec 3<&0
"$1" -q "$2" </dev/null 3<&- &
pooler=$!
{ cat <&3 >/dev/null; kill -KILL $pooler 2>/dev/null; } &
exec 3<&-
wait $pooler
`;

const SETTINGS = {
  listen_addr: '127.0.0.1',
  unix_socket_dir: '',
  auth_type: 'any',
  pool_mode: 'transaction',
  default_pool_size: '4',
  max_client_conn: '1000',
  // Not the 15 s after a failed login in which it refuses everybody.
  server_login_retry: '1',
};

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.unref();
    socket.once('connect', () => socket.destroy());
  });
}
