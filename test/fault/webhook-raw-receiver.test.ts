/** Receivers that break HTTP and TCP in every way: none may hold an attempt longer, or take more, than it is given. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { addressGuard } from '../../src/net/address-guard.ts';
import { createSender, type Sender } from '../../src/webhook/send/deliver.ts';
import type { Outcome } from '../../src/webhook/send/delivery-request.ts';
import { RawReceiver } from '../support/raw-receiver.ts';
import { PATIENCE } from '../support/until.ts';

const GUARD = addressGuard(['127.0.0.0/8']);
const KIB = 1024;
/** The deadline where only it ends the attempt, milliseconds: whatever else the receiver does is done by then. */
const ENDED = 5_000;

interface Case {
  readonly name: string;
  /** What the receiver does once it has read the request. */
  act(socket: Socket): void;
  /** The kind of the error; null for a delivery. */
  readonly kind: string | null;
  readonly status?: number;
  readonly truncated?: boolean;
  /** How the kept body is to look. */
  readonly response?: RegExp;
  /** Milliseconds of the deadline, for those that only it ends. */
  readonly timeout?: number;
}

const OK = 'HTTP/1.1 200 OK\r\n';
const every = (socket: Socket, send: () => void) => {
  const timer = setInterval(send, 20);
  socket.on('close', () => clearInterval(timer));
};
const flood = (socket: Socket, block: string | Buffer) => {
  const more = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on('drain', more);
  more();
};

const CASES: readonly Case[] = [
  { name: 'closes without a word', act: (s) => s.end(), kind: 'connection_reset' },
  { name: 'resets without a word', act: (s) => s.resetAndDestroy(), kind: 'connection_reset' },
  {
    name: 'resets in the head',
    act: (s) => s.write(`${OK}x-a: 1`, () => s.resetAndDestroy()),
    kind: 'connection_reset',
  },
  { name: 'closes in the head', act: (s) => s.end(`${OK}x-a: 1`), kind: 'connection_reset' },
  { name: 'closes in the status line', act: (s) => s.end('HTTP/1.1 2'), kind: 'connection_reset' },
  {
    name: 'resets after a head and half a body',
    act: (s) => s.write(`${OK}content-length: 10\r\n\r\nhalf`, () => s.resetAndDestroy()),
    kind: null,
    status: 200,
    truncated: true,
  },
  {
    name: 'closes after half a failure',
    act: (s) => s.end('HTTP/1.1 503 No\r\ncontent-length: 10\r\nretry-after: 7\r\n\r\nhalf'),
    kind: 'http_status',
    status: 503,
    truncated: true,
  },
  {
    name: 'drips the head',
    act: (s) => {
      s.write(OK);
      every(s, () => s.write('x'));
    },
    kind: 'timeout',
    timeout: ENDED,
  },
  {
    name: 'drips interim responses',
    act: (s) => every(s, () => s.write('HTTP/1.1 103 Early Hints\r\n\r\n')),
    kind: 'invalid_response',
  },
  {
    name: 'floods with interim responses',
    act: (s) => flood(s, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(500)),
    kind: 'invalid_response',
  },
  {
    name: 'drips the body',
    act: (s) => {
      s.write(`${OK}\r\n`);
      every(s, () => s.write('.'));
    },
    kind: null,
    status: 200,
    truncated: true,
    response: /^\.+$/,
    timeout: ENDED,
  },
  {
    name: 'promises more than it sends',
    act: (s) => s.write(`${OK}content-length: 100\r\n\r\nshort`),
    kind: null,
    truncated: true,
    response: /^short$/,
    timeout: ENDED,
  },
  {
    name: 'sends more than it promised',
    act: (s) => s.write(`${OK}content-length: 2\r\n\r\nok and then some`),
    kind: null,
    response: /^ok$/,
  },
  {
    name: 'sends a body without end',
    act: (s) => {
      s.write(`${OK}\r\n`);
      flood(s, 'x'.repeat(64 * KIB));
    },
    kind: null,
    truncated: true,
    response: /^x{16384}$/,
  },
  {
    name: 'sends a chunk without end',
    act: (s) => {
      s.write(`${OK}transfer-encoding: chunked\r\n\r\nffffffff\r\n`);
      flood(s, 'x'.repeat(64 * KIB));
    },
    kind: null,
    truncated: true,
  },
  {
    name: 'breaks its chunks',
    act: (s) => s.write(`${OK}transfer-encoding: chunked\r\n\r\n2\r\nok\r\nnonsense\r\n`),
    kind: null,
    truncated: true,
    response: /^ok$/,
  },
  {
    name: 'sends a bomb',
    act: (s) => {
      const bomb = gzipSync(Buffer.alloc(20 * KIB * KIB));
      s.write(`${OK}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      s.write(bomb);
    },
    kind: null,
    response: /^\(\d+ bytes encoded as gzip, although only identity was accepted\)$/,
  },
  {
    name: 'sends a head without end',
    act: (s) => {
      s.write(OK);
      flood(s, `x-${'a'.repeat(500)}: ${'b'.repeat(500)}\r\n`);
    },
    kind: 'invalid_response',
  },
  { name: 'speaks another protocol', act: (s) => s.end('220 mail.test ESMTP\r\n'), kind: 'invalid_response' },
  { name: 'sends noise', act: (s) => flood(s, Buffer.alloc(64 * KIB, 0xa5)), kind: 'invalid_response' },
  {
    name: 'sends two lengths',
    act: (s) => s.write(`${OK}content-length: 2\r\ncontent-length: 3\r\n\r\nokk`),
    kind: 'invalid_response',
  },
  {
    name: 'has a status of its own',
    act: (s) => s.end('HTTP/1.1 999 Huh\r\ncontent-length: 0\r\n\r\n'),
    kind: 'http_status',
    status: 999,
  },
  {
    name: 'switches protocols',
    act: (s) => s.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    kind: 'connection_reset',
  },
  { name: 'never answers', act: () => {}, kind: 'timeout', timeout: ENDED },
];

async function sendTo(act: (socket: Socket) => void, timeout: number): Promise<Outcome> {
  const receiver = await RawReceiver.start((socket) => socket.once('data', () => act(socket)));
  const sender = createSender(GUARD);
  try {
    return await post(sender, receiver.url, timeout);
  } finally {
    await sender.close();
    receiver.close();
  }
}

function post(sender: Sender, url: string, timeout = PATIENCE): Promise<Outcome> {
  return sender.send({ method: 'POST', url, headers: {}, body: Buffer.from('{}'), timeout });
}

// Some of them only wait.
describe('a receiver that', { concurrency: true }, () => {
  for (const one of CASES) test(one.name, () => assertOutcome(one));
});

async function assertOutcome({ act, kind, status, truncated, response, timeout }: Case): Promise<void> {
  const outcome = await sendTo(act, timeout ?? PATIENCE);
  assert.equal(outcome.error?.kind ?? null, kind, JSON.stringify(outcome));
  if (status !== undefined) assert.equal(outcome.status, status);
  if (kind === null) assert.equal(outcome.isTruncated, truncated ?? false);
  if (response) assert.match(outcome.response ?? '', response);
  // One that only the deadline ends is ended by it; the others do not wait for it.
  if (timeout === undefined) assert.ok(outcome.millis < PATIENCE, `${outcome.millis} ms`);
}

test('a response before the request is not accepted', async () => {
  const receiver = await RawReceiver.start((socket) => socket.write(`${OK}content-length: 0\r\n\r\n`));
  const sender = createSender(GUARD);
  const outcome = await post(sender, receiver.url);
  await sender.close();
  receiver.close();
  // It may cross the request on its way, and is its answer then.
  assert.ok(outcome.error === null || outcome.error.kind === 'connection_reset', JSON.stringify(outcome));
});

test('an aborted attempt leaves nothing to the next', async () => {
  const receiver = await RawReceiver.start((socket, count) =>
    socket.on('data', () => {
      if (count === 1) socket.write(`${OK}content-length: 1000\r\n\r\nlate`);
      else socket.write(`${OK}content-length: 2\r\n\r\nok`);
    }),
  );
  const sender = createSender(GUARD);
  const first = await post(sender, receiver.url, ENDED);
  assert.deepEqual([first.isTruncated, first.response], [true, 'late']);
  assert.equal((await post(sender, receiver.url)).response, 'ok');
  const again = await post(sender, receiver.url);
  assert.equal(again.response, 'ok');
  assert.equal(receiver.connections, 2);
  await sender.close();
  receiver.close();
});

test('only a new connection has connection times', async () => {
  const receiver = await RawReceiver.start((socket) =>
    socket.on('data', () =>
      socket.write(`${OK}content-length: 0\r\nset-cookie: a=b\r\nx-served-by: me\r\n\r\n`),
    ),
  );
  const sender = createSender(GUARD);
  const first = await post(sender, receiver.url);
  const second = await post(sender, `http://127.0.0.1:${receiver.port}/other`);
  await sender.close();
  receiver.close();
  assert.deepEqual([first.timings?.dns, first.timings?.tls], [null, null]);
  assert.equal(typeof first.timings?.connect, 'number');
  assert.equal(second.timings?.connect, null);
  assert.equal(typeof second.timings?.ttfb, 'number');
  assert.deepEqual(JSON.parse(second.responseHeaders ?? ''), {
    'content-length': '0',
    'set-cookie': '**********',
    'x-served-by': 'me',
  });
});

test('a connection closed on each reuse costs no failed attempt', async () => {
  const receiver = await RawReceiver.start((socket) => {
    let requests = 0;
    socket.on('data', () => {
      requests += 1;
      if (requests > 1) socket.resetAndDestroy();
      else socket.write(`${OK}content-length: 0\r\n\r\n`);
    });
  });
  const sender = createSender(GUARD);
  for (let count = 0; count < 20; count++) assert.equal((await post(sender, receiver.url)).error, null);
  assert.equal(receiver.connections, 20);
  await sender.close();
  receiver.close();
});
