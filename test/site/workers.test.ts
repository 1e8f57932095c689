/** Several workers of one server: what one of them commits, each of them knows at once. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { engineOf } from '../support/describe-site.ts';
import { type Engine, freshDatabaseUrl } from '../support/postgres.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { reachWorkers, type WorkerConnection, writeProbeApp } from '../support/workers.ts';

const KEY = 'admin-key:admin-secret-0123456789';
const PASSWORD = 'a password of Administrator';
const COUNT = 3;
const METHOD = '/api/method/';
const PERMISSIONS = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];

for (const engine of engineOf('workers')) describe(`workers of one server on ${engine}`, () => share(engine));

function share(engine: Engine): void {
  const root = mkdtempSync(join(tmpdir(), 'chancery-workers-'));
  let drop = async () => {};
  let server: ServerProcess;
  let workers: readonly WorkerConnection[] = [];
  before(async () => {
    const database = await freshDatabaseUrl(engine);
    drop = database.drop;
    const app = writeProbeApp(join(root, 'probe'));
    server = await startServerProcess(['--data', root, '--apps', app, '--workers', String(COUNT)], {
      env: {
        CHANCERY_ADMIN_API_KEY: KEY,
        CHANCERY_ADMIN_PASSWORD: PASSWORD,
        CHANCERY_DATABASE: database.url,
        CHANCERY_RATE_LIMITS_PER_KEY: '5000',
        // A quota that does not fill up again during the test.
        CHANCERY_RATE_LIMITS_WINDOW: '3600',
      },
    });
    workers = await reachWorkers(server.url, COUNT, app);
  });
  after(async () => {
    for (const worker of workers) worker.close();
    await server?.end('SIGKILL');
    await drop();
    rmSync(root, { recursive: true, force: true });
  });

  async function ok(worker: WorkerConnection, method: string, path: string, body?: object) {
    const reply = await worker.request(method, path, { as: KEY, ...(body && { body }) });
    assert.ok(reply.status === 200 || reply.status === 202, reply.text);
    return reply.body;
  }

  /** Each worker in turn writes, and then all of them are asked. */
  async function inTurn(
    write: (writer: WorkerConnection, turn: number) => Promise<(reader: WorkerConnection) => Promise<void>>,
  ): Promise<void> {
    for (const [turn, writer] of workers.entries()) {
      const check = await write(writer, turn);
      await Promise.all(workers.map(check));
    }
  }

  test('each is a process of its own', () => {
    assert.equal(new Set(workers.map(({ pid }) => pid)).size, COUNT);
    assert.ok(workers.every(({ pid }) => pid !== server.child.pid));
    assert.match(server.output(), /, 3 workers\)/);
  });

  test('a revoked key, a disabled user and a taken role count in every worker at once', async () => {
    const path = '/api/resource/User/a@example.com';
    const able = { enabled: 1, roles: [{ role: 'System Manager' }] };
    const [first] = workers;
    assert.ok(first);
    await ok(first, 'POST', '/api/resource/User', { email: 'a@example.com', first_name: 'A', ...able });
    const ends: [refusal: number, end: (writer: WorkerConnection, key: string) => Promise<unknown>][] = [
      [401, (writer, key) => ok(writer, 'DELETE', `/api/resource/API%20Key/${key}`)],
      [401, (writer) => ok(writer, 'PUT', path, { enabled: 0 })],
      [403, (writer) => ok(writer, 'PUT', path, { roles: [] })],
    ];
    for (const [refusal, end] of ends) {
      await inTurn(async (writer) => {
        await ok(writer, 'PUT', path, able);
        const { message: key } = await ok(writer, 'POST', `${METHOD}chancery.api_key.create`, {
          user: 'a@example.com',
          label: 'one',
        });
        const as = `${key.api_key}:${key.api_secret}`;
        const status = async (reader: WorkerConnection) =>
          (await reader.request('GET', '/api/resource/Role', { as })).status;
        for (const reader of workers) assert.equal(await status(reader), 200);
        await end(writer, key.api_key);
        return async (reader) => assert.equal(await status(reader), refusal);
      });
    }
  });

  test('a session that ended counts in no worker', async () => {
    await inTurn(async (writer) => {
      const body = { usr: 'Administrator', pwd: PASSWORD };
      const { headers } = await writer.request('POST', `${METHOD}login`, { body });
      const cookie = /sid=[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '';
      const status = async (reader: WorkerConnection) =>
        (await reader.request('GET', '/api/resource/Role', { cookie })).status;
      for (const reader of workers) assert.equal(await status(reader), 200);
      assert.equal((await writer.request('GET', `${METHOD}logout`, { cookie })).status, 200);
      return async (reader) => assert.equal(await status(reader), 403);
    });
  });

  test('a new password ends the sessions of every worker', async () => {
    const [first] = workers;
    assert.ok(first);
    const email = 'p@example.com';
    const role = [{ role: 'System Manager' }];
    await ok(first, 'POST', '/api/resource/User', { email, first_name: 'P', roles: role });
    await inTurn(async (writer, turn) => {
      const pwd = `a password of turn ${turn}`;
      await ok(writer, 'PUT', `/api/resource/User/${email}`, { new_password: pwd });
      const { headers } = await writer.request('POST', `${METHOD}login`, { body: { usr: email, pwd } });
      const cookie = /sid=[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '';
      const status = async (reader: WorkerConnection) =>
        (await reader.request('GET', '/api/resource/Role', { cookie })).status;
      for (const reader of workers) assert.equal(await status(reader), 200);
      await ok(writer, 'PUT', `/api/resource/User/${email}`, { new_password: `${pwd}, and another` });
      return async (reader) => assert.equal(await status(reader), 403);
    });
  });

  test('a document that one worker has saved is read by each, while others ask them, too', async () => {
    const [first] = workers;
    assert.ok(first);
    const fields = [{ fieldname: 'title', fieldtype: 'Data' }];
    const definition = { name: 'Plain', module: 'Test', fields, permissions: PERMISSIONS };
    await ok(first, 'POST', '/api/resource/DocType', definition);
    const { data: made } = await ok(first, 'POST', '/api/resource/Plain', { title: 'new' });
    const path = `/api/resource/Plain/${made.name}`;
    let isOver = false;
    const others = Array.from({ length: 8 }, async () => {
      const headers = { authorization: `token ${KEY}` };
      while (!isOver) await (await fetch(`${server.url}${path}`, { headers })).text();
    });
    for (let round = 0; round < 20; round += 1) {
      await inTurn(async (writer, turn) => {
        const title = `${round} ${turn}`;
        await ok(writer, 'PUT', path, { title });
        return async (reader) => assert.equal((await ok(reader, 'GET', path)).data.title, title);
      });
    }
    isOver = true;
    await Promise.all(others);
  });

  test('a new doctype, a custom field and a dropped doctype are known to every worker at once', async () => {
    await inTurn(async (writer, turn) => {
      const name = `Shared ${turn}`;
      const fields = [{ fieldname: 'title', fieldtype: 'Data' }];
      await ok(writer, 'POST', '/api/resource/DocType', {
        name,
        module: 'Test',
        fields,
        permissions: PERMISSIONS,
      });
      return async (reader) => void (await ok(reader, 'POST', `/api/resource/${name}`, { title: 'x' }));
    });
    await inTurn(async (writer, turn) => {
      const dt = `Shared ${turn}`;
      await ok(writer, 'POST', '/api/resource/Custom%20Field', {
        dt,
        fieldname: 'colour',
        fieldtype: 'Data',
      });
      return async (reader) => {
        const { data } = await ok(reader, 'POST', `/api/resource/${dt}`, { title: 'x', colour: 'red' });
        assert.equal(data.colour, 'red');
      };
    });
    await inTurn(async (writer, turn) => {
      const name = `Brief ${turn}`;
      await ok(writer, 'POST', '/api/resource/DocType', { name, module: 'Test', permissions: PERMISSIONS });
      for (const reader of workers) await ok(reader, 'GET', `/api/resource/${name}`);
      await ok(writer, 'DELETE', `/api/resource/DocType/${name}`);
      return async (reader) => {
        const reply = await reader.request('GET', `/api/resource/${name}`, { as: KEY });
        assert.equal(reply.status, 404, reply.text);
      };
    });
  });

  test('a setting and a naming rule hold in every worker at once', async () => {
    const settings = '/api/resource/System%20Settings/System%20Settings';
    await inTurn(async (writer, turn) => {
      const precision = turn % 2 === 0 ? 'microseconds' : 'seconds';
      await ok(writer, 'PUT', settings, { timestamp_precision: precision });
      return async (reader) => {
        const { data } = await ok(reader, 'GET', '/api/resource/Role/System%20Manager');
        assert.equal(/\.\d{6}$/.test(data.creation), precision === 'microseconds', data.creation);
      };
    });
    const [first] = workers;
    assert.ok(first);
    await ok(first, 'POST', '/api/resource/DocType', {
      name: 'Bill',
      module: 'Test',
      fields: [{ fieldname: 'title', fieldtype: 'Data' }],
      permissions: PERMISSIONS,
    });
    for (const worker of workers) await ok(worker, 'POST', '/api/resource/Bill', { title: 'x' });
    await inTurn(async (writer, turn) => {
      const prefix = `R${turn}-`;
      await ok(writer, 'POST', '/api/resource/Document%20Naming%20Rule', {
        document_type: 'Bill',
        prefix,
        prefix_digits: 5,
        priority: turn + 1,
      });
      return async (reader) => {
        const { data } = await ok(reader, 'POST', '/api/resource/Bill', { title: 'x' });
        assert.ok(data.name.startsWith(prefix), data.name);
      };
    });
  });

  test('metrics name each worker', async () => {
    await Promise.all(workers.map((worker) => ok(worker, 'GET', '/api/resource/Role')));
    for (const worker of workers) {
      const { status, text } = await worker.request('GET', '/metrics', { as: KEY });
      assert.equal(status, 200, text);
      const answered = text.match(/^process_uptime_seconds\{worker="\d"\} /gm) ?? [];
      assert.deepEqual(
        answered.map((line) => /\d/.exec(line)?.[0]),
        ['1', '2', '3'],
      );
      assert.match(text, /^chancery_http_requests_total\{worker="2",work="list",code="2xx"\} [1-9]/m);
      // Each metric has one head, and its samples follow it.
      const heads = text.split('\n').filter((line) => line.startsWith('# TYPE '));
      assert.equal(new Set(heads).size, heads.length);
      assert.match(text, /^chancery_database_up 1$/m);
    }
  });

  test('requests of a key count in every worker', async () => {
    const [one, other] = workers;
    assert.ok(one && other);
    const { message: key } = await ok(one, 'POST', `${METHOD}chancery.api_key.create`, { label: 'counted' });
    const as = `${key.api_key}:${key.api_secret}`;
    const left = async (worker: WorkerConnection) => {
      const { headers } = await worker.request('GET', '/api/resource/Role', { as });
      return Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);
    };
    for (let sent = 0; sent < 500; sent += 1) await left(one);
    // Each look spends one, too. Meanwhile the quota refills by some more than one a second.
    let looks = 0;
    await until(async () => {
      looks += 1;
      return 5_000 - (await left(other)) >= 100 + looks;
    });
  });
}
