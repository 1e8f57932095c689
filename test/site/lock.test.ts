/** One server for one SQLite database, with real processes: who else is refused, and what never stands in the way. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { StartError } from '../../src/site/start-error.ts';
import {
  type Finished,
  type ServerProcess,
  spawnChancery,
  startServerProcess,
} from '../support/server-process.ts';

const ELSEWHERE = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
const noNamespaces = spawnSync('unshare', [...ELSEWHERE.slice(1), 'true']).status !== 0;

const made: string[] = [];
after(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'chancery-lock-'));
  made.push(path);
  return path;
}

const serve = (...argv: string[]) => startServerProcess([...argv, '--apps=']);

function tryToServe(argv: readonly string[], through: readonly string[] = []): Promise<Finished> {
  // A server that does start is ended by the deadline, and the test fails by its exit code.
  return spawnChancery(['serve', '--port', '0', '--apps=', ...argv], { through, deadline: 60_000 }).finished;
}

describe('while a server uses a database', () => {
  const data = join(folder(), 'data');
  let first: ServerProcess;
  before(async () => {
    first = await serve('--data', data);
  });
  after(() => first.end('SIGTERM'));

  async function isRefused(argv: readonly string[], through?: readonly string[]): Promise<void> {
    const { code, stderr } = await tryToServe(argv, through);
    assert.equal(code, 1, stderr);
    const holder = `Process ${first.child.pid} on ${hostname()}`;
    assert.ok(stderr.startsWith(`${holder} is already using ${join(data, 'chancery.db')}.`), stderr);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
    assert.equal((await fetch(`${first.url}/ready`)).status, 200);
  }

  test('each further server is refused, and takes nothing from the lock of the first', async () => {
    for (let attempt = 0; attempt < 2; attempt += 1) await isRefused(['--data', data]);
  });

  test('a server in another container is refused too', { skip: noNamespaces }, async () => {
    await isRefused(['--data', data], ELSEWHERE);
    // Its end left the lock alone as well.
    await isRefused(['--data', data]);
  });

  test('a server with another path to the database is refused too', async () => {
    const link = join(folder(), 'link');
    symlinkSync(data, link);
    await isRefused(['--data', link]);
    const file = join(folder(), 'other.db');
    symlinkSync(join(data, 'chancery.db'), file);
    await isRefused(['--data', folder(), '--database', `sqlite:${file}`]);
  });

  test('a migration is refused too, other commands run', async () => {
    const migrated = await spawnChancery(['migrate', '--data', data, '--apps=']).finished;
    assert.match(migrated.stderr, /is already using/);
    for (const argv of [['user', 'list'], ['doctor'], ['files', 'check'], ['config'], ['secrets', 'check']]) {
      const { code, stderr } = await spawnChancery([...argv, '--data', data, '--apps=']).finished;
      assert.equal(code, 0, `${argv}: ${stderr}`);
    }
    await isRefused(['--data', data]);
  });

  test('a server starts on a copy of the directory', async () => {
    const copy = join(folder(), 'copy');
    cpSync(data, copy, { recursive: true });
    assert.ok(existsSync(join(copy, 'chancery.db-lock')));
    const second = await serve('--data', copy);
    assert.equal((await fetch(`${second.url}/ready`)).status, 200);
    assert.equal((await second.end('SIGTERM')).code, 0);
  });
});

test('the next server starts after a kill or a clean stop', async () => {
  const data = join(folder(), 'data');
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
    const server = await serve('--data', data);
    await server.end(signal);
    assert.equal(existsSync(join(data, 'chancery.db.pid')), signal === 'SIGKILL');
  }
  // The number of a process that lives, as a later process of another kind may have.
  writeFileSync(join(data, 'chancery.db.pid'), `${process.pid} ${hostname()}`);
  assert.equal((await (await serve('--data', data)).end('SIGTERM')).code, 0);
});

test('one process opens a database only once', async () => {
  const config = { ...DEFAULT_CONFIG, data: folder(), apps: [] };
  const refused = (error: unknown) =>
    error instanceof StartError &&
    error.message.startsWith(`Process ${process.pid} on ${hostname()} is already using`);
  const site = await openSite(config);
  await assert.rejects(openSite(config), refused);
  // The refusal opened the files of the lock, which must not release it.
  assert.equal((await tryToServe(['--data', config.data])).code, 1);
  await assert.rejects(openSite(config), refused);
  await site.close();
  await (await openSite(config)).close();
});
