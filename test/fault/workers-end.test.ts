/** The end of workers: killed, stopped, or never able to start. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { runs, type ServerProcess, spawnChancery, startServerProcess } from '../support/server-process.ts';
import { inTheEnd, until } from '../support/until.ts';
import {
  holdWorker,
  reachWorkers,
  releaseWorkers,
  type WorkerConnection,
  writeProbeApp,
} from '../support/workers.ts';

const KEY = 'admin-key:admin-secret-0123456789';
const root = mkdtempSync(join(tmpdir(), 'chancery-workers-end-'));
const POSIX = { skip: process.platform === 'win32' && 'there are no signals on Windows' };

describe('the end of workers', POSIX, () => {
  let databaseUrl = '';
  let drop = async () => {};
  before(async () => {
    const database = await freshDatabaseUrl('postgres');
    databaseUrl = database.url;
    drop = database.drop;
  });
  after(async () => {
    await drop();
    rmSync(root, { recursive: true, force: true });
  });

  const env = () => ({ CHANCERY_ADMIN_API_KEY: KEY, CHANCERY_DATABASE: databaseUrl });
  const app = writeProbeApp(join(root, 'probe'));

  function start(count: number, argv: readonly string[] = []): Promise<ServerProcess> {
    const all = ['--data', join(root, 'data'), '--apps', app, '--workers', String(count), ...argv];
    return startServerProcess(all, { env: env() });
  }

  let made = 0;
  const make = (worker: WorkerConnection) => {
    made += 1;
    return worker.request('POST', '/api/resource/Role', { as: KEY, body: { role_name: `Role ${made}` } });
  };

  test('a killed worker is replaced, loses nothing acknowledged, and disturbs no other worker', async () => {
    const server = await start(3);
    try {
      const workers = await reachWorkers(server.url, 3, app);
      const [victim, ...others] = workers;
      assert.ok(victim);
      const acknowledged: string[] = [];
      let isOver = false;
      const write = async (worker: WorkerConnection) => {
        while (!isOver) {
          const { status, body, text } = await make(worker);
          assert.equal(status, 200, text);
          acknowledged.push(body.data.name);
        }
      };
      const dying = write(victim).then(
        () => 'over',
        (error: NodeJS.ErrnoException) => error.code,
      );
      const living = Promise.all(others.map(write));
      await until(() => acknowledged.length > 30);
      process.kill(victim.pid, 'SIGKILL');
      await until(() => !runs(victim.pid));
      const soFar = acknowledged.length;
      await until(() => acknowledged.length > soFar + 30);
      isOver = true;
      await living;
      // Its last request broke, unless it was between two.
      assert.ok(['over', 'ECONNRESET', 'EPIPE'].includes(String(await dying)));
      for (const worker of workers) worker.close();
      const again = await reachWorkers(server.url, 3, app);
      assert.ok(!again.some(({ pid }) => pid === victim.pid));
      const [reader] = again;
      for (const name of acknowledged) {
        assert.equal((await reader?.request('GET', `/api/resource/Role/${name}`, { as: KEY }))?.status, 200);
      }
      assert.match(server.errors(), /"signal":"SIGKILL","failures":\d,"msg":"worker_ended"/);
      for (const worker of again) worker.close();
    } finally {
      await server.end('SIGKILL');
    }
  });

  test('SIGTERM ends all workers, which answer what has arrived', async () => {
    const server = await start(2);
    const workers = await reachWorkers(server.url, 2, app);
    const held = [];
    for (const worker of workers) held.push((await holdWorker(worker, app)).reply);
    const ended = server.end('SIGTERM');
    releaseWorkers(app);
    for (const { status } of await Promise.all(held)) assert.equal(status, 200);
    assert.equal((await ended).code, 0);
    for (const { pid } of workers) await until(() => !runs(pid));
  });

  test('a server that is stopped while its workers start ends like any other', async () => {
    const server = await start(3);
    const { code, stderr } = await server.end('SIGTERM');
    assert.equal(code, 0, stderr);
  });

  test('workers end when their supervisor is killed, and answer what has arrived', async () => {
    const server = await start(2);
    const workers = await reachWorkers(server.url, 2, app);
    const held = [];
    for (const worker of workers) held.push((await holdWorker(worker, app)).reply);
    server.child.kill('SIGKILL');
    releaseWorkers(app);
    for (const { status } of await Promise.all(held)) assert.equal(status, 200);
    for (const { pid } of workers) await until(() => !runs(pid));
  });

  test('a taken port is told once, with the exit code of a server of one process', async () => {
    const server = await start(2);
    try {
      const { port } = new URL(server.url);
      const second = spawnChancery(
        ['--data', join(root, 'data'), '--apps', app, '--workers', '2', '--port', port],
        { env: env() },
      );
      const { code, stderr } = await inTheEnd(() => second.finished, 'the second server');
      assert.equal(code, 1);
      assert.equal(stderr.match(new RegExp(`Port ${port} of 127.0.0.1 is in use`, 'g'))?.length, 1, stderr);
    } finally {
      await server.end('SIGKILL');
    }
  });

  test('a server with too few connections for its workers does not start', async () => {
    const finished = (argv: readonly string[], budget: string) =>
      inTheEnd(
        () =>
          spawnChancery(['--data', join(root, 'data'), '--port', '0', ...argv], {
            env: { ...env(), CHANCERY_DATABASE_CONNECTIONS: budget },
          }).finished,
        'the end of the server',
      );
    const many = await finished(['--workers', '100'], '1500');
    assert.equal(many.code, 1);
    assert.match(
      many.stderr,
      /100 workers use up to 1500 connections, and max_connections \d+ leaves room for \d+/,
    );
    const few = await finished(['--workers', '4'], '20');
    assert.equal(few.code, 1);
    assert.match(few.stderr, /4 workers need 32 connections to PostgreSQL, and databaseConnections is 20/);
  });

  test('on SQLite several workers are refused, and auto is one', async () => {
    const data = join(root, 'sqlite');
    const refused = spawnChancery(['--data', data, '--workers', '2']);
    const { code, stderr } = await inTheEnd(() => refused.finished, 'the end of the server');
    assert.equal(code, 1);
    assert.match(stderr, /2 workers need PostgreSQL/);
    const server = await startServerProcess(['--data', data, '--apps', app, '--workers', 'auto']);
    const [worker] = await reachWorkers(server.url, 1, app);
    assert.equal(worker?.pid, server.child.pid);
    worker?.close();
    assert.equal((await server.end('SIGTERM')).code, 0);
  });

  test('workers that end again and again end the server, unless another one serves', async () => {
    const folder = writeProbeApp(
      join(root, 'failing'),
      "import cluster from 'node:cluster';\nif ((cluster.worker?.id ?? 1) > 1) process.exit(7);",
    );
    const server = await startServerProcess(
      ['--data', join(root, 'data'), '--apps', folder, '--workers', '2'],
      { env: env() },
    );
    await until(() => server.errors().includes('"failures":9'));
    assert.equal(server.errors().match(/Worker 2 ended 8 times in a row/g)?.length, 1);
    const [worker] = await reachWorkers(server.url, 1, folder);
    assert.ok(worker);
    process.kill(worker.pid, 'SIGKILL');
    worker.close();
    const { code, stderr } = await inTheEnd(() => server.finished, 'the end of the server');
    assert.equal(code, 1);
    assert.match(stderr, /Worker 1 ended 8 times in a row/);
  });
});
