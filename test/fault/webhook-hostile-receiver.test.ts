import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { type AddressGuard, addressGuard } from '../../src/net/address-guard.ts';
import { createSender } from '../../src/webhook/send/deliver.ts';
import type { Outcome } from '../../src/webhook/send/delivery-request.ts';
import { parseRetryAfter } from '../../src/webhook/send/response.ts';
import { type ReceiverMode, WebhookReceiver } from '../support/receiver.ts';
import { PATIENCE } from '../support/until.ts';

const BODY = Buffer.from('{"name": "TICK-00001"}');
/** The deadline where only it ends the attempt, milliseconds: whatever else the receiver does is done by then. */
const ENDED = 3_000;
const LOOPBACK = addressGuard(['127.0.0.0/8']);

async function send(url: string, timeout = PATIENCE, guard: AddressGuard = LOOPBACK): Promise<Outcome> {
  const sender = createSender(guard);
  try {
    return await sender.send({ method: 'POST', url, headers: { 'x-test': '1' }, body: BODY, timeout });
  } finally {
    await sender.close();
  }
}

async function sendTo(mode: ReceiverMode, timeout?: number): Promise<[Outcome, WebhookReceiver]> {
  const receiver = await WebhookReceiver.start();
  receiver.mode = mode;
  try {
    return [await send(receiver.url, timeout), receiver];
  } finally {
    await receiver.close();
  }
}

test('a 2xx answer delivers the exact bytes and headers', async () => {
  const [outcome, receiver] = await sendTo('ok');
  assert.equal(outcome.error, null);
  assert.equal(outcome.status, 200);
  assert.equal(outcome.response, 'thank you');
  assert.equal(outcome.remoteIp, '127.0.0.1');
  assert.equal(receiver.received.length, 1);
  assert.deepEqual(receiver.received[0]?.body, BODY);
  assert.equal(receiver.received[0]?.headers['x-test'], '1');
});

test('a receiver that never answers fails at the deadline', async () => {
  const [outcome] = await sendTo('hang', ENDED);
  assert.equal(outcome.error?.kind, 'timeout');
  assert.equal(outcome.status, 0);
});

test('interim responses without end do not extend the deadline', async () => {
  const [outcome] = await sendTo('drip-head', ENDED);
  assert.equal(outcome.error?.kind, 'timeout');
});

test('a dripping body is cut at the deadline, and the status decides', async () => {
  const [outcome] = await sendTo('drip', ENDED);
  assert.equal(outcome.error, null);
  assert.match(outcome.response ?? '', /^\.+$/);
});

test('a body without end is cut at the byte limit', async () => {
  const [outcome, receiver] = await sendTo('huge');
  assert.equal(outcome.error, null);
  assert.equal(outcome.response, 'x'.repeat(16 * 1024));
  // More than the system takes for a client that does not read.
  assert.ok(receiver.written < 256 * 1024 * 1024, `the receiver could write ${receiver.written} bytes`);
});

test('a reset before the status is a failure, within the body it is not', async () => {
  const [outcome] = await sendTo('reset');
  assert.equal(outcome.error?.kind, 'connection_reset');
  const [later] = await sendTo('reset-body');
  assert.equal(later.error, null);
  assert.equal(later.response, 'half');
});

test('a redirect is not followed, and its target is named', async () => {
  const [outcome, receiver] = await sendTo('redirect');
  assert.equal(outcome.error?.kind, 'redirect');
  assert.match(outcome.error?.text ?? '', /302 to http:\/\/127\.0\.0\.1:\d+\/elsewhere/);
  assert.deepEqual(
    receiver.received.map((request) => request.path),
    ['/hook'],
  );
});

test('other statuses fail, 410 permanently; Retry-After is read', async () => {
  const [failed] = await sendTo(500);
  assert.deepEqual([failed.error?.kind, failed.error?.final, failed.status], ['http_status', false, 500]);
  const [gone] = await sendTo(410);
  assert.equal(gone.error?.final, true);
  const [busy] = await sendTo('retry-after');
  assert.equal(busy.retryAfter, 3_600_000);
});

test('Retry-After: seconds, fractions, dates; bounded by a day; junk is ignored', () => {
  const now = Date.parse('2026-11-21T10:00:00Z');
  const table: readonly (readonly [string | null, number | null])[] = [
    ['120', 120_000],
    [' 1.5 ', 1_500],
    ['0', 0],
    ['99999999999', 86_400_000],
    ['Sat, 21 Nov 2026 10:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2020 10:01:00 GMT', 0],
    ['soon', null],
    ['-5', 0],
    ['', null],
    [null, null],
  ];
  for (const [header, wait] of table) {
    // `Date.parse` reads '-5' as a year long past: wait no longer than our own schedule says.
    assert.equal(parseRetryAfter(header, now), wait, String(header));
  }
});

test('a closed port, an unknown name and missing TLS give different errors', async () => {
  const closed = await WebhookReceiver.start();
  await closed.close();
  assert.equal((await send(closed.url)).error?.kind, 'connection_refused');

  const nowhere = addressGuard([], () =>
    Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })),
  );
  assert.equal((await send('http://nowhere.test/', PATIENCE, nowhere)).error?.kind, 'dns_error');

  const plain = await WebhookReceiver.start();
  assert.equal((await send(plain.url.replace('http:', 'https:'))).error?.kind, 'tls_error');
  await plain.close();
});

test('forbidden targets are refused before any connection, for good', async () => {
  const receiver = await WebhookReceiver.start();
  const refusing = addressGuard([], async () => ['127.0.0.1']);
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '0x7f000001', 'localhost', 'rebound.test']) {
    const outcome = await send(`http://${host}:${receiver.port}/`, PATIENCE, refusing);
    assert.deepEqual([outcome.error?.kind, outcome.error?.final], ['blocked_address', true], host);
  }
  assert.equal(receiver.connections, 0);
  await receiver.close();
});

test('an address that bypasses the resolver is refused after connecting', async () => {
  const receiver = await WebhookReceiver.start();
  // The lookup of a permissive guard with the judgement of a strict one.
  const torn: AddressGuard = { allows: () => false, lookup: addressGuard(['127.0.0.0/8']).lookup };
  const outcome = await send(`http://localhost:${receiver.port}/`, PATIENCE, torn);
  assert.equal(outcome.error?.kind, 'blocked_address');
  assert.equal(receiver.received.length, 0);
  await receiver.close();
});

test('an invalid request gives an outcome, not an exception', async () => {
  const bad = ['not a url', 'ftp://127.0.0.1/', 'http://user:pass@127.0.0.1/', 'file:///etc/passwd'];
  for (const url of bad) assert.equal((await send(url)).error?.kind, 'invalid_request', url);
  const sender = createSender(LOOPBACK);
  const outcome = await sender.send({
    method: 'POST',
    url: 'http://127.0.0.1:9/',
    headers: { 'x-bad': 'a\r\nb' },
    body: BODY,
    timeout: PATIENCE,
  });
  assert.deepEqual([outcome.error?.kind, outcome.error?.final], ['invalid_request', true]);
  await sender.close();
});

test('an answer that is not HTTP is a failure', async () => {
  const server = createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH\r\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const outcome = await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  assert.equal(outcome.error?.kind, 'invalid_response');
});

test('a keep-alive connection closed while idle costs no failed attempt', async () => {
  const sockets: Socket[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    // What the reset caught may be parsed all the same.
    if (!request.socket.destroyed) requests++;
    request.resume();
    response.end('ok');
  });
  server.on('connection', (socket) => {
    sockets.push(socket);
    // Every request after the first on a connection meets a reset, as when it crosses the peer's close.
    let first = true;
    socket.prependListener('data', () => {
      if (!first) socket.resetAndDestroy();
      first = false;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sender = createSender(LOOPBACK);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const request = { method: 'POST', url, headers: {}, body: BODY, timeout: PATIENCE };
  assert.equal((await sender.send(request)).error, null);
  assert.equal((await sender.send(request)).error, null);
  assert.equal(requests, 2);
  assert.ok(sockets.length >= 2);
  await sender.close();
  server.close();
  for (const socket of sockets) socket.destroy();
});

test('closing aborts attempts as cancelled', async () => {
  const receiver = await WebhookReceiver.start();
  receiver.mode = 'hang';
  const sender = createSender(LOOPBACK);
  const sending = sender.send({
    method: 'POST',
    url: receiver.url,
    headers: {},
    body: BODY,
    timeout: PATIENCE,
  });
  await receiver.count(1);
  await sender.close();
  assert.equal((await sending).error?.kind, 'cancelled');
  await receiver.close();
});
