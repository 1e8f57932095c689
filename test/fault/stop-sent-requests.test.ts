/**
 * A server that is told to stop: requests that have come are answered, and balancers and clients get time to
 * go elsewhere.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { drainServer } from '../../src/http/limits/drain.ts';
import { createServer } from '../../src/http/server.ts';
import { listen } from '../support/events.ts';
import { notes } from '../support/notes/app.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { startTestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

const KEY = 'admin:admin-secret-0123456789';
const AUTHORIZATION = `token ${KEY}`;
const REQUESTS = 20;

/** A grace period that no test waits for. */
const LONG = { CHANCERY_SHUTDOWN_GRACE: '3600000' };

const root = mkdtempSync(join(tmpdir(), 'chancery-stop-'));
after(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

function start(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  made += 1;
  const argv = ['--data', join(root, String(made)), '--apps=', '--no-admin-ui'];
  return startServerProcess(argv, { env: { CHANCERY_ADMIN_API_KEY: KEY, ...env } });
}

/** A connection, and what came on it. */
class Connection {
  readonly socket: Socket;
  text = '';
  failure: Error | null = null;
  readonly closed: Promise<unknown>;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.setEncoding('utf8').on('data', (chunk) => {
      this.text += chunk;
    });
    this.socket.on('error', (error) => {
      this.failure = error;
    });
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
  }

  /** Resolves once the system has the bytes. */
  write(text: string): Promise<void> {
    return new Promise((resolve) => this.socket.write(text, () => resolve()));
  }

  /** The head of the last reply, once `count` replies are here. */
  async replies(count: number): Promise<string[]> {
    const heads = () => [...this.text.matchAll(/HTTP\/1\.1 \d{3} [\s\S]*?\r\n\r\n/g)].map(([head]) => head);
    while (heads().length < count) await once(this.socket, 'data');
    return heads();
  }
}

function creation(index: number): string {
  const body = JSON.stringify({ role_name: `Role ${index}` });
  return [
    'POST /api/resource/Role HTTP/1.1',
    'Host: a',
    `Authorization: ${AUTHORIZATION}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

async function opened(server: ServerProcess, count = REQUESTS): Promise<Connection[]> {
  const connections = Array.from({ length: count }, () => new Connection(server.url));
  await Promise.all(connections.map(({ socket }) => once(socket, 'connect')));
  return connections;
}

async function acceptsNoMore(server: ServerProcess): Promise<void> {
  await until(async () => {
    const { socket, closed } = new Connection(server.url);
    const accepted = await Promise.race([once(socket, 'connect'), closed.then(() => null)]).catch(() => null);
    socket.destroy();
    return accepted === null;
  });
}

async function assertAllAnswered(connections: readonly Connection[], earlier = 0): Promise<void> {
  await Promise.all(connections.map(({ closed }) => closed));
  const failures = connections.flatMap(({ failure }) => failure?.message ?? []);
  assert.deepEqual(failures, []);
  for (const { text } of connections) {
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    assert.deepEqual(statuses, Array(earlier + 1).fill('200'), text);
  }
}

/** Replies that a draining server sends announce the end of their connection. */
async function assertAllClosed(connections: readonly Connection[]): Promise<void> {
  await assertAllAnswered(connections);
  for (const { text } of connections)
    assert.match(text.slice(text.lastIndexOf('HTTP/1.1')), /^connection: close\r$/im);
}

for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
  test(`a frozen server answers unread requests after ${signal}`, async () => {
    const server = await start();
    const kept = await opened(server);
    await Promise.all(kept.map((connection) => connection.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')));
    await Promise.all(kept.map((connection) => connection.replies(1)));
    const halves = await opened(server, 2);

    server.child.kill('SIGSTOP');
    const fresh = await opened(server);
    await Promise.all(fresh.map((connection, index) => connection.write(creation(index))));
    await Promise.all(kept.map((connection, index) => connection.write(creation(REQUESTS + index))));
    await Promise.all(halves.map((half, index) => half.write(creation(100 + index).slice(0, -5))));
    server.child.kill(signal);
    server.child.kill('SIGCONT');

    await acceptsNoMore(server);
    await Promise.all(halves.map((half, index) => half.write(creation(100 + index).slice(-5))));
    // A server that thaws may read a request before it hears the signal.
    await assertAllAnswered(fresh);
    await assertAllAnswered(kept, 1);
    await assertAllClosed(halves);
    assert.equal((await server.finished).code, 0);
  });
}

for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
  test(`after ${signal} a server is not ready, and answers until its grace is over`, async () => {
    const server = await start(LONG);
    const get = (path: string) => fetch(server.url + path, { headers: { authorization: AUTHORIZATION } });
    const stream = await listen(server.url, 'doctype=Role', AUTHORIZATION);
    assert.equal((await stream.next())?.event, 'open');
    assert.equal((await get('/ready')).status, 200);

    server.child.kill(signal);
    await until(async () => (await get('/ready')).status !== 200);
    const refused = await get('/ready');
    assert.equal(refused.status, 503);
    assert.match(await refused.text(), /The server is stopping/);
    assert.equal((await get('/health')).status, 200);
    const [connection] = await opened(server, 1);
    assert.ok(connection);
    await connection.write(creation(1));
    await assertAllClosed([connection]);

    assert.equal(await stream.next(), null);
    // A browser comes back after the end of a stream, and not after a refusal.
    const next = await listen(server.url, 'doctype=Role', AUTHORIZATION);
    assert.equal((await next.next())?.event, 'open');
    assert.equal(await next.next(), null);

    const again = setInterval(() => server.child.kill(signal), 50);
    assert.equal((await server.finished).code, 0);
    clearInterval(again);
  });
}

test('the grace ends on time, and a repeated signal counts once', async () => {
  const server = await start({ CHANCERY_SHUTDOWN_GRACE: '1000' });
  const [connection] = await opened(server, 1);
  assert.ok(connection);
  await connection.write(creation(1));
  server.child.kill('SIGTERM');
  server.child.kill('SIGTERM');
  await assertAllAnswered([connection]);
  assert.equal((await server.finished).code, 0);
});

test('Ctrl+C does not wait for the grace', async () => {
  const server = await start(LONG);
  assert.equal((await server.end('SIGINT')).code, 0);
});

test('a silent connection does not delay a shutdown', async () => {
  const { site, stop } = await startTestSite('sqlite', { apps: [notes] });
  const server = createServer(site);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const silent = new Connection(url);
  await once(silent.socket, 'connect');
  // In a drain without end, only what closes this connection lets the server end.
  await drainServer(server, 0, 2 ** 31 - 1);
  await silent.closed;
  await stop();
});

test('a stopping server answers all pipelined requests', async () => {
  const { site, stop } = await startTestSite('sqlite', { apps: [notes] });
  const server = createServer(site);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  server.startDraining();
  const connection = new Connection(url);
  const get = `GET /api/method/ping HTTP/1.1\r\nHost: a\r\n\r\n`;
  await connection.write(get.repeat(5));
  await connection.closed;
  const replies = await connection.replies(5);
  assert.deepEqual(
    replies.map((head) => /connection: close/i.test(head)),
    [false, false, false, false, true],
  );
  await server.close();
  await stop();
});
