/** The end of workers: killed, stopped, or never able to start. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { engineOf } from '../support/describe-site.ts';
import { type Engine, freshDatabaseUrl } from '../support/postgres.ts';
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

after(() => rmSync(root, { recursive: true, force: true }));

for (const engine of engineOf('ends'))
  describe(`the end of workers on ${engine}`, POSIX, () => endOn(engine));

function endOn(engine: Engine): void {
  let databaseUrl = '';
  let drop = async () => {};
  before(async () => {
    const database = await freshDatabaseUrl(engine);
    databaseUrl = database.url;
    drop = database.drop;
  });
  after(() => drop());

  const env = () => ({ CHANCERY_ADMIN_API_KEY: KEY, CHANCERY_DATABASE: databaseUrl });
  const home = join(root, engine);
  const data = join(home, 'data');
  const app = writeProbeApp(join(home, 'probe'));

  function start(count: number, argv: readonly string[] = []): Promise<ServerProcess> {
    const all = ['--data', data, '--apps', app, '--workers', String(count), ...argv];
    return startServerProcess(all, { env: env() });
  }

  let made = 0;
  const make = (worker: WorkerConnection) => {
    made += 1;
    return worker.request('POST', '/api/resource/Role', { as: KEY, body: { role_name: `Role ${made}` } });
  };

  async function requireAll(worker: WorkerConnection | undefined, names: readonly string[]): Promise<void> {
    for (const name of names) {
      assert.equal((await worker?.request('GET', `/api/resource/Role/${name}`, { as: KEY }))?.status, 200);
    }
  }

  test('a killed worker is replaced, loses nothing acknowledged, and disturbs no other worker', async () => {
    const server = await start(3);
    try {
      const workers = await reachWorkers(server.url, 3, app);
      // On SQLite, the death of the first one has a test of its own.
      const victim = workers.find(({ number }) => number === 3);
      const others = workers.filter((worker) => worker !== victim);
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
      await requireAll(again[0], acknowledged);
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
      // Only one server can have an SQLite database.
      const own = engine === 'sqlite' && { CHANCERY_DATABASE: `sqlite:${join(home, 'other.db')}` };
      const second = spawnChancery(
        [
          '--data',
          engine === 'sqlite' ? join(home, 'other') : data,
          '--apps',
          app,
          '--workers',
          '2',
          '--port',
          port,
        ],
        { env: { ...env(), ...own } },
      );
      const { code, stderr } = await inTheEnd(() => second.finished, 'the second server');
      assert.equal(code, 1);
      assert.equal(stderr.match(new RegExp(`Port ${port} of 127.0.0.1 is in use`, 'g'))?.length, 1, stderr);
    } finally {
      await server.end('SIGKILL');
    }
  });

  // It takes a minute, and the database has no part in it.
  const patient = { skip: engine === 'sqlite' && 'PostgreSQL shows it' };
  test('workers that end again and again end the server, unless another one serves', patient, async () => {
    const folder = writeProbeApp(
      join(home, 'failing'),
      "import cluster from 'node:cluster';\nif ((cluster.worker?.id ?? 1) > 1) process.exit(7);",
    );
    const server = await startServerProcess(['--data', data, '--apps', folder, '--workers', '2'], {
      env: env(),
    });
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
}

test('a server on PostgreSQL with too few connections for its workers does not start', async () => {
  const { url, drop } = await freshDatabaseUrl('postgres');
  const finished = (argv: readonly string[], budget: string) =>
    inTheEnd(
      () =>
        spawnChancery(['--data', join(root, 'data'), '--port', '0', ...argv], {
          env: { CHANCERY_DATABASE: url, CHANCERY_DATABASE_CONNECTIONS: budget },
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
  await drop();
});

describe('the writer of an SQLite database', POSIX, () => {
  const home = join(root, 'writer');
  const data = join(home, 'data');
  const app = writeProbeApp(join(home, 'probe'));
  const argv = ['--data', data, '--apps', app];
  const env = { CHANCERY_ADMIN_API_KEY: KEY };
  const refusalOf = async (more: readonly string[]) => {
    const { code, stderr } = await inTheEnd(() => spawnChancery(more).finished, 'the end of the server');
    assert.equal(code, 1);
    return stderr;
  };

  test('is replaced when it is killed: reads go on, and nothing acknowledged is lost', async () => {
    const server = await startServerProcess([...argv, '--workers', '3'], { env });
    try {
      const workers = await reachWorkers(server.url, 3, app);
      const writer = workers.find(({ number }) => number === 1);
      const readers = workers.filter((worker) => worker !== writer);
      assert.ok(writer);
      const acknowledged: string[] = [];
      const refusals = new Set<string>();
      let made = 0;
      let isOver = false;
      const write = async (reader: WorkerConnection) => {
        while (!isOver) {
          made += 1;
          const body = { role_name: `Role ${made}` };
          const reply = await reader.request('POST', '/api/resource/Role', { as: KEY, body });
          if (reply.status === 200) acknowledged.push(reply.body.data.name);
          else {
            const [first] = JSON.parse(reply.body._server_messages);
            refusals.add(`${reply.status} ${JSON.parse(first).message}`);
          }
          // Whatever happens to the writer, readers read.
          const { status, text } = await reader.request('GET', '/api/resource/Role/Guest', { as: KEY });
          assert.equal(status, 200, text);
        }
      };
      const writing = Promise.all(readers.map(write));
      await until(() => acknowledged.length > 30);
      process.kill(writer.pid, 'SIGKILL');
      await until(() => !runs(writer.pid));
      const soFar = acknowledged.length;
      await until(() => acknowledged.length > soFar + 30);
      isOver = true;
      await writing;
      const known = [
        '503 The server is restarting, please try again',
        '504 The server ended during this request: the change may be stored or not. Look before you send it again',
      ];
      for (const refusal of refusals) assert.ok(known.includes(refusal), refusal);
      for (const worker of workers) worker.close();
      const again = await reachWorkers(server.url, 3, app);
      for (const worker of again) {
        for (const name of acknowledged) {
          const { status } = await worker.request('GET', `/api/resource/Role/${name}`, { as: KEY });
          assert.equal(status, 200, name);
        }
        worker.close();
      }
      // The site belongs to the supervisor, whichever of its workers lives.
      assert.match(await refusalOf([...argv, '--port', '0']), /Process \d+ on \S+ is already using/);
      assert.equal((await server.end('SIGTERM')).code, 0);
    } finally {
      await server.end('SIGKILL');
    }
  });

  test('ends after the readers, whose requests it answers', async () => {
    const server = await startServerProcess([...argv, '--workers', '3'], { env });
    const workers = await reachWorkers(server.url, 3, app);
    let answered = 0;
    const write = async ({ request }: WorkerConnection, turn: number) => {
      for (let made = 0; ; made += 1) {
        const body = { role_name: `Role ${turn} of ${made} at the end` };
        const { status, text } = await request('POST', '/api/resource/Role', { as: KEY, body });
        assert.equal(status, 200, text);
        answered += 1;
      }
    };
    // Each ends with its connection.
    const writing = workers.map(write).map((work) => assert.rejects(work, { code: /^(ECONN|EPIPE)/ }));
    await until(() => answered > 30);
    const { code, stderr } = await server.end('SIGTERM');
    assert.equal(code, 0, stderr);
    await Promise.all(writing);
  });

  test('needs a path that fits a socket', async () => {
    const deep = join(home, 'd'.repeat(100));
    assert.match(await refusalOf(['--data', deep, '--workers', '2']), /is too long for a socket/);
  });

  test('is alone by default, and with auto', async () => {
    for (const workers of [[], ['--workers', 'auto']]) {
      const server = await startServerProcess([...argv, ...workers], { env });
      const [worker] = await reachWorkers(server.url, 1, app);
      assert.equal(worker?.pid, server.child.pid);
      worker?.close();
      assert.equal((await server.end('SIGTERM')).code, 0);
    }
  });
});
