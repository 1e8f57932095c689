/**
 * Connections: slow, idle, too many, pipelined, half closed. Nobody holds one for nothing, nobody is answered
 * out of turn.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { settleAudit } from '../../src/access/audit-apart.ts';
import { sql } from '../../src/db/sql.ts';
import { defineMethod } from '../../src/document/verbs/method.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { defineApp } from '../../src/site/app.ts';
import { notes } from '../support/notes/app.ts';
import { PATIENT, startTestSite, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';
import { assertEnvelope, sendRaw } from '../support/wire.ts';

/** Lets the slow method end. */
let release = () => {};
let began = Promise.resolve();

function slowApp(): ReturnType<typeof defineApp> {
  let start = () => {};
  began = new Promise((resolve) => {
    start = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = defineMethod({
    http: ['GET'],
    allowGuest: true,
    async run() {
      start();
      await released;
      return 'late';
    },
  });
  return defineApp({ ...notes, name: 'slow', methods: { ...notes.methods, slow } });
}

const HOST = 'Host: a\r\n';
const GET = `GET /api/method/ping HTTP/1.1\r\n${HOST}`;
const CLOSE = 'Connection: close\r\n';

async function open(site: TestSite): Promise<Socket> {
  const { hostname, port } = new URL(site.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Everything that the server sends until it hangs up. */
async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.readableEnded && !socket.closed) {
    await new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
  }
  socket.destroy();
  return Buffer.concat(chunks).toString();
}

function statuses(text: string): string[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');
}

// Each mostly waits for a limit, which is long enough for all that must be done before it on a busy machine.
describe('with short limits', { concurrency: true }, () => {
  let site: TestSite;
  before(async () => {
    const short = {
      headersTimeout: 3_000,
      requestTimeout: 3_000,
      keepAliveTimeout: 50,
      uploadIdleTimeout: 3_000,
    };
    site = await startTestSite('sqlite', { apps: [notes], wire: short });
  });
  afterEach(async () => assert.equal((await site.request('GET', '/api/method/ping')).status, 200));
  after(async () => {
    await site.stop();
    assert.deepEqual(
      site.observed.filter(({ kind }) => kind === 'unexpected'),
      [],
    );
  });

  test('a silent connection is closed', async () => {
    const said = await readAll(await open(site));
    if (said !== '') assert.deepEqual(statuses(said), ['408']);
  });
  for (const [what, head] of [
    ['stops', `GET /api/method/ping HTTP/1.1\r\nHos`],
    ['stops before its end', `GET /api/method/ping HTTP/1.1\r\nHost: a\r\n`],
  ] as const) {
    test(`a head that ${what} gives 408`, async () => {
      assertEnvelope(await sendRaw(site.url, head), 'RequestTimeoutError');
    });
  }
  test('a trickling head gives 408', async () => {
    const socket = await open(site);
    socket.write('GET /api/method/ping HTTP/1.1\r\n');
    const drip = setInterval(() => socket.write('X: 1\r\n'), 20);
    const said = await readAll(socket);
    clearInterval(drip);
    assert.deepEqual(statuses(said), ['408']);
  });
  for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
    test(`a trickling body of ${type} gives 408`, async () => {
      const socket = await open(site);
      socket.write(
        `POST /api/method/notes.echo HTTP/1.1\r\n${HOST}Content-Type: ${type}\r\nContent-Length: 1000\r\n\r\n`,
      );
      const drip = setInterval(() => socket.write(' '), 20);
      const said = await readAll(socket);
      clearInterval(drip);
      assert.deepEqual(statuses(said), ['408']);
      assert.match(said, /RequestTimeoutError/);
    });
  }
  async function stored(): Promise<number> {
    let count = 0;
    for await (const _ of site.site.storage.list()) count += 1;
    return count;
  }

  // Shorter forms are read whole first.
  test('an upload slower than the lowest rate is cut off and leaves nothing', async (t) => {
    const put = t.mock.method(site.site.storage, 'put');
    const socket = await open(site);
    socket.write(
      `POST /api/method/upload_file HTTP/1.1\r\n${HOST}Authorization: token ${site.adminKey}\r\n` +
        `Content-Type: multipart/form-data; boundary=B\r\nContent-Length: ${LIMITS.uploadAtOnce + 1}\r\n\r\n` +
        '--B\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nsome bytes',
    );
    const drip = setInterval(() => socket.write('x'), 20);
    const said = await readAll(socket);
    clearInterval(drip);
    assert.ok(!said.includes('200 OK'), said);
    assert.equal(put.mock.callCount(), 1);
    await until(async () => (await stored()) === 0);
    const { body } = await site.request('GET', '/api/resource/File?filters=[["is_folder","=",0]]');
    assert.deepEqual(body.data, []);
  });
  test('an idle connection is closed after its last reply', async () => {
    const socket = await open(site);
    socket.write(`${GET}\r\n`);
    assert.deepEqual(statuses(await readAll(socket)), ['200']);
  });
  test('a refused client that stays connected is disconnected', async () => {
    const socket = await open(site);
    socket.write('garbage\r\n\r\n');
    await once(socket, 'data');
    const drip = setInterval(() => socket.write('x'), 20);
    await new Promise((resolve) => socket.resume().once('close', resolve));
    clearInterval(drip);
  });
});

test('connections beyond the limit are dropped, and later ones accepted', async () => {
  const site = await startTestSite('sqlite', { wire: { connections: 2 } });
  try {
    const [first, second] = [await open(site), await open(site)];
    for (const socket of [first, second]) {
      socket.write(`${GET}\r\n`);
      await once(socket, 'data');
    }
    assert.equal(await readAll(await open(site)), '');
    first.destroy();
    second.destroy();
    await until(async () => (await sendRaw(site.url, `${GET}${CLOSE}\r\n`)).status === 200);
  } finally {
    await site.stop();
  }
});

/** Connects, writes the bytes and resets the connection, all before a blocked server accepts it. */
const RESETS = `
  const [port, bytes] = process.argv.slice(1);
  const socket = require('node:net').connect(Number(port), '127.0.0.1', () => {
    socket.write(bytes, () => socket.resetAndDestroy());
  });`;

test('a request whose connection was reset before it was accepted does not run', async () => {
  const site = await startTestSite('sqlite');
  try {
    const form = 'usr=Administrator&pwd=wrong';
    const head = `POST /api/method/login HTTP/1.1\r\n${HOST}Content-Type: application/x-www-form-urlencoded\r\n`;
    const bytes = `${head}Content-Length: ${form.length}\r\n\r\n${form}`;
    // The server cannot accept connections while this process waits.
    for (let count = 0; count < 2; count += 1)
      assert.equal(spawnSync(process.execPath, ['-e', RESETS, new URL(site.url).port, bytes]).status, 0);
    const login = { usr: 'Administrator', pwd: 'wrong' };
    assert.equal((await site.request('POST', '/api/method/login', { as: null, body: login })).status, 401);
    await settleAudit(site.site.database);
    const told = await site.site.database.reader.all(
      sql`select "address", "occurrences" from "_audit" where "event" = 'login_failed'`,
    );
    assert.deepEqual(told.map(Object.values), [['127.0.0.1', 1]]);
  } finally {
    await site.stop();
  }
  assert.deepEqual(
    site.observed.filter(({ kind }) => kind === 'unexpected'),
    [],
  );
});

describe('several requests on one connection', () => {
  let site: TestSite;
  before(async () => {
    // A late server reads the end of a half-closed connection before it answers, and Node ends the connection then.
    const admission = { ...PATIENT, lateness: 0 };
    site = await startTestSite('sqlite', { apps: [slowApp()], config: { admission } });
  });
  afterEach(async () => assert.equal((await site.request('GET', '/api/method/ping')).status, 200));
  after(async () => {
    await site.stop();
    assert.deepEqual(
      site.observed.filter(({ kind }) => kind === 'unexpected'),
      [],
    );
  });

  test('pipelined requests are answered in order, garbage after a slow one last', async () => {
    const socket = await open(site);
    socket.write(`GET /api/method/slow HTTP/1.1\r\n${HOST}\r\n${GET}\r\ngarbage\r\n\r\n`);
    await began;
    socket.write('more garbage\r\n\r\n');
    release();
    const said = await readAll(socket);
    assert.deepEqual(statuses(said), ['200', '200', '400']);
    assert.match(said, /late.*pong.*BadRequestError/s);
  });
  test('a request smuggled behind a body is never run', async () => {
    const inner = `GET /api/method/notes.echo?smuggled=1 HTTP/1.1\r\n${HOST}\r\n`;
    for (const framing of [
      `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
      `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${inner}`,
      `Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${inner}`,
      `Content-Length: 0\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
    ]) {
      const said = await readAll(
        await open(site).then((socket) => {
          socket.write(
            `POST /api/method/notes.echo HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${framing}`,
          );
          return socket;
        }),
      );
      assert.deepEqual(statuses(said), ['400'], framing);
      assert.doesNotMatch(said, /smuggled/);
    }
  });
  test('a broken body is answered once', async () => {
    const socket = await open(site);
    socket.write(
      `POST /api/method/notes.echo HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
    );
    socket.write('zz\r\n');
    assert.deepEqual(statuses(await readAll(socket)), ['400']);
  });
  test('a body broken after its refusal gets no second reply', async () => {
    const socket = await open(site);
    socket.write(
      `POST /api/method/notes.echo HTTP/1.1\r\n${HOST}Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`,
    );
    await once(socket, 'readable');
    socket.write('zz\r\n');
    assert.deepEqual(statuses(await readAll(socket)), ['415']);
  });
  for (const [what, bytes, status] of [
    ['after a request', `${GET}\r\n`, '200'],
    ['within a head', `GET /api/method/ping HTTP/1.1\r\nHos`, '400'],
    [
      'within a body',
      `POST /api/method/notes.echo HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
      '400',
    ],
  ] as const) {
    test(`a connection half closed ${what} gets its reply and is closed`, async () => {
      const socket = await open(site);
      socket.end(bytes);
      assert.deepEqual(statuses(await readAll(socket)), [status]);
    });
  }
});

describe('Expect', () => {
  let site: TestSite;
  before(async () => {
    site = await startTestSite('sqlite', { apps: [notes] });
  });
  after(() => site.stop());
  const post = `POST /api/method/notes.echo HTTP/1.1\r\n${HOST}${CLOSE}Content-Type: application/json\r\nContent-Length: 7\r\n`;

  test('100-continue is granted before the body is sent', async () => {
    const socket = await open(site);
    socket.write(`${post}Expect: 100-continue\r\n\r\n`);
    const [first] = await once(socket, 'data');
    assert.equal(String(first), 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('{"a":1}');
    assert.match(await readAll(socket), /^HTTP\/1\.1 200.*\{"message":\{"a":1\}\}$/s);
  });
  test('any other expectation gives 417', async () => {
    assertEnvelope(await sendRaw(site.url, `${post}Expect: tea\r\n\r\n{"a":1}`), 'ValidationError');
  });
});
