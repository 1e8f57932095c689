/** Makes the dumps of the made-up site with MariaDB, PostgreSQL and their own programs. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../support/embedded-postgres.ts';
import { until } from '../support/until.ts';
import { DUMPS, packDump } from './support/databases.ts';
import { statements } from './support/shapes.ts';
import { siteTables } from './support/site.ts';

const binaries = process.env['CHANCERY_TEST_POSTGRES_BIN'] ?? '/usr/lib/postgresql/15/bin';
process.env['CHANCERY_TEST_POSTGRES_BIN'] = binaries;
if (!existsSync(join(binaries, 'pg_dump')) || !existsSync('/usr/sbin/mariadbd'))
  throw new Error('MariaDB or pg_dump is missing: apt-get install mariadb-server postgresql-15');

mkdirSync(dirname(DUMPS.pg_dump), { recursive: true });
const texts = (database: 'mariadb' | 'postgres') =>
  `${siteTables()
    .flatMap((table) => statements(table, database))
    .join(';\n')};`;
await withMariadb(({ run, dump }) => {
  run(texts('mariadb'));
  packDump(DUMPS['mariadb-dump'], dump());
  const byRows = ['--hex-blob', '--skip-extended-insert', '--complete-insert'];
  packDump(DUMPS['mariadb-dump by rows'], dump(...byRows));
});
const postgres = await startPostgres();
try {
  const url = postgres.url.replace(/\?.*/, '');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(texts('postgres'));
  await client.end();
  const dump = (...flags: string[]) => execFileSync(join(binaries, 'pg_dump'), [...flags, url]);
  packDump(DUMPS.pg_dump, dump());
  packDump(DUMPS['pg_dump --inserts'], dump('--inserts'));
} finally {
  await postgres.stop();
}
process.exit();

/** A MariaDB server for the time of `work`. */
async function withMariadb<T>(
  work: (server: { run(sql: string): void; dump(...flags: string[]): Buffer }) => Promise<T> | T,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'chancery-mariadb-'));
  const data = join(directory, 'data');
  const socket = join(directory, 's');
  const asUser = process.getuid?.() === 0 ? ['--user=root'] : [];
  execFileSync(
    'mariadb-install-db',
    [
      '--no-defaults',
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      ...asUser,
    ],
    { stdio: 'ignore' },
  );
  const server: ChildProcess = spawn(
    'mariadbd',
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${socket}`,
      '--skip-networking',
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-buffer-pool-size=64M',
      '--max-allowed-packet=64M',
      ...asUser,
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => server.on('close', resolve));
  const client = (program: string, flags: readonly string[], input?: string) =>
    execFileSync(program, ['--no-defaults', `--socket=${socket}`, '--user=root', ...flags], {
      ...(input !== undefined && { input }),
      maxBuffer: 2 ** 30,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  try {
    await until(() => {
      try {
        client('mariadb', ['-e', 'select 1']);
        return true;
      } catch {
        return false;
      }
    });
    client('mariadb', ['-e', 'create database site character set utf8mb4 collate utf8mb4_unicode_ci']);
    return await work({
      run: (sql) =>
        void client('mariadb', ['--default-character-set=utf8mb4', 'site'], `set sql_mode='';\n${sql}`),
      dump: (...flags) =>
        client('mariadb-dump', [
          '--single-transaction',
          '--quick',
          '--lock-tables=false',
          '--default-character-set=utf8mb4',
          ...flags,
          'site',
        ]),
    });
  } finally {
    server.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  }
}
