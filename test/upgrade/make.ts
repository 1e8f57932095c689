/**
 * `npm run formats -- [<commit> …]`: runs the programs of these commits, or this checkout, and stores the sites that
 * they leave in test/upgrade/formats. See test/upgrade/README.md.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BACKUP_FORMAT } from '../../src/backup/store/manifest.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { checkOut } from '../support/check-out.ts';
import { startPostgres } from '../support/embedded-postgres.ts';
import type { Engine } from '../support/postgres.ts';
import { WebhookReceiver } from '../support/receiver.ts';
import { type ServerProcess, spawnChancery, startServerProcess } from '../support/server-process.ts';
import { type Format, writeFixture } from './fixture.ts';
import { clientOf, type Facts, recorded, SITE, work } from './story.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

// A dump is made by the programs of the server, and npm brings no pg_dump.
const binaries = process.env['CHANCERY_TEST_POSTGRES_BIN'] ?? '/usr/lib/postgresql/15/bin';
process.env['CHANCERY_TEST_POSTGRES_BIN'] = binaries;
if (!existsSync(join(binaries, 'pg_dump')))
  throw new Error(
    'pg_dump is missing: apt-get install postgresql-15, or name its folder in CHANCERY_TEST_POSTGRES_BIN',
  );

const commits = process.argv.slice(2);
const postgres = await startPostgres();
const receiver = await WebhookReceiver.start();
receiver.decide = ({ path }) => (path === '/ok' ? 'ok' : 500);
try {
  for (const commit of commits.length > 0 ? commits : [null]) await make(commit);
} finally {
  await postgres.stop();
}
process.exit();

async function make(commit: string | null): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-format-'));
  try {
    const root = commit === null ? ROOT : checkOut(commit, join(folder, 'code'));
    if (root === null) throw new Error(`this clone does not have the commit ${commit}`);
    for (const engine of ['sqlite', 'postgres'] as const) await makeOn(engine, root, join(folder, engine));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeOn(engine: Engine, root: string, data: string): Promise<void> {
  const url = new URL(postgres.url);
  url.pathname = `format_${Date.now()}`;
  if (engine === 'postgres')
    execFileSync(join(binaries, 'createdb'), [
      '--maintenance-db',
      plain(postgres.url),
      url.pathname.slice(1),
    ]);
  const database = engine === 'postgres' ? url.href : `sqlite:${join(data, 'chancery.db')}`;
  const argv = ['--data', data, '--apps', '', ...(engine === 'postgres' ? ['--database', url.href] : [])];
  const env = {
    CHANCERY_ADMIN_API_KEY: SITE.adminKey,
    CHANCERY_ADMIN_PASSWORD: SITE.adminPassword,
    CHANCERY_WEBHOOKS_ALLOW: '127.0.0.0/8',
  };
  receiver.received.length = 0;
  const server = await startServerProcess(argv, { root, env });
  const facts = await lived(server)
    .then(async (facts) => {
      if (root === ROOT) await makeBackup(engine, argv, data, facts);
      return facts;
    })
    .finally(() => server.end('SIGTERM'));
  const dump =
    engine === 'postgres'
      ? execFileSync(
          join(binaries, 'pg_dump'),
          ['--no-owner', '--no-privileges', '--inserts', plain(url.href)],
          {
            encoding: 'utf8',
          },
        ).replaceAll(/^\\(?:un)?restrict .*\n/gm, '')
      : null;
  const { steps, plan } = await formatOf(database);
  console.log(await writeFixture(`${steps}-${plan}-${engine}`, { facts, folders: { data }, dump }));
}

/** A place of backups that this checkout makes beside the server, encrypted on SQLite. */
async function makeBackup(
  engine: Engine,
  argv: readonly string[],
  data: string,
  facts: Facts,
): Promise<void> {
  const backups = `${data}-backups`;
  const env = { ...(engine === 'sqlite' && { CHANCERY_BACKUP_KEY: SITE.backupKey }) };
  const { code, stderr } = await spawnChancery(['backup', ...argv, '--to', backups], { env }).finished;
  if (code !== 0) throw new Error(`chancery backup: ${stderr}`);
  const keys = await mkdtemp(`${data}-keys-`);
  await copyFile(join(data, 'secret.key'), join(keys, 'secret.key'));
  console.log(
    await writeFixture(`backup-${BACKUP_FORMAT}-${engine}`, { facts, folders: { backups, data: keys } }),
  );
}

/** The programs of PostgreSQL do not know our parameters. */
function plain(url: string): string {
  return url.replace(/\?.*/, '');
}

async function lived(server: ServerProcess): Promise<Facts> {
  const client = clientOf(server.url);
  const made = await work(client, `http://127.0.0.1:${receiver.port}`);
  const sid = await client.signIn(SITE.user, SITE.password);
  // The three insertions, and the first event of the document whose later ones wait behind it.
  await receiver.until((received) => received.length >= SITE.attempts);
  return { ...made, sid, ...(await recorded(client)), stoppedAt: Date.now() };
}

async function formatOf(url: string): Promise<Format> {
  const database = await openDatabase(url);
  try {
    const row = await database.reader.get(
      sql`select (select max("id") from "_migration") as "steps",
            (select "value" from "_setting" where "key" = 'plan_version') as "plan"`,
    );
    return { steps: Number(row?.['steps']), plan: Number(row?.['plan']) };
  } finally {
    await database.close();
  }
}
