/** TLS that is always verified, and the way through a proxy. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createServer, type TlsOptions } from 'node:tls';
import { addressGuard } from '../../src/net/address-guard.ts';
import { tlsMaterial, tlsProblems } from '../../src/net/tls-material.ts';
import { createSender } from '../../src/webhook/send/deliver.ts';
import type { Outcome } from '../../src/webhook/send/delivery-request.ts';
import { RawReceiver } from '../support/raw-receiver.ts';
import { PATIENCE } from '../support/until.ts';

const pem = (name: string) =>
  readFileSync(new URL(`../support/certificates/${name}.pem`, import.meta.url), 'utf8');
const AUTHORITY = pem('authority');
const CLIENT = [pem('client'), pem('client.key')] as const;
const GUARD = addressGuard(['127.0.0.0/8'], async () => ['127.0.0.1']);
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

interface Sent {
  readonly outcome: Outcome;
  /** Of each connection, whether its handshake was a short one. */
  readonly resumed: boolean[];
  /** Whom the last connection was from. */
  readonly client: string | null;
}

async function sendTo(
  server: TlsOptions & { readonly certificate: string },
  material: Parameters<typeof tlsMaterial> | null,
  options: { readonly host?: string; readonly times?: number } = {},
): Promise<Sent> {
  const resumed: boolean[] = [];
  let client: string | null = null;
  const { certificate, ...rest } = server;
  const secure = createServer(
    { cert: pem(certificate), key: pem(`${certificate}.key`), ...rest },
    (socket) => {
      resumed.push(socket.isSessionReused());
      client = socket.getPeerX509Certificate()?.subject ?? null;
      socket.on('error', () => {});
      socket.once('data', () => socket.end(OK.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')));
    },
  );
  secure.on('tlsClientError', () => {});
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const address = secure.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const sender = createSender(GUARD);
  const url = `https://${options.host ?? 'localhost'}:${port}/`;
  const tls = material && tlsMaterial(...material);
  const request = { method: 'POST', url, headers: {}, body: Buffer.from('{}'), timeout: PATIENCE, tls };
  let outcome = await sender.send(request);
  for (let count = 1; count < (options.times ?? 1); count++) outcome = await sender.send(request);
  await sender.close();
  secure.close();
  return { outcome, resumed, client };
}

test("an authority of the webhook's own is trusted, and a later handshake is shorter", async () => {
  const sent = await sendTo({ certificate: 'server' }, [AUTHORITY, '', ''], { times: 2 });
  assert.equal(sent.outcome.error, null, JSON.stringify(sent.outcome));
  assert.equal(typeof sent.outcome.timings?.tls, 'number');
  assert.deepEqual(sent.resumed, [false, true]);
  const byAddress = await sendTo({ certificate: 'server' }, [AUTHORITY, '', ''], { host: '127.0.0.1' });
  assert.equal(byAddress.outcome.error, null);
});

test('an unverifiable receiver gets nothing, whatever the environment says', async () => {
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  try {
    for (const [certificate, material] of [
      ['server', null],
      ['elsewhere', [AUTHORITY, '', '']],
      ['expired', [AUTHORITY, '', '']],
      ['server', [pem('client'), '', '']],
    ] as const) {
      const { outcome } = await sendTo({ certificate }, material && [...material]);
      assert.equal(outcome.error?.kind, 'tls_error', `${certificate}: ${JSON.stringify(outcome)}`);
      assert.equal(outcome.error?.final, false);
    }
  } finally {
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
  }
});

test('a client certificate is sent to receivers that request one', async () => {
  const wanting = { certificate: 'server', ca: AUTHORITY, requestCert: true, rejectUnauthorized: true };
  const sent = await sendTo(wanting, [AUTHORITY, ...CLIENT]);
  assert.equal(sent.outcome.error, null, JSON.stringify(sent.outcome));
  assert.equal(sent.client, 'CN=a client');
  const without = await sendTo(wanting, [AUTHORITY, '', '']);
  // With TLS 1.3 the refusal comes after the handshake, and may be lost in the reset behind it.
  assert.match(without.outcome.error?.kind ?? '', /^(tls_error|connection_reset)$/);
});

test('a broken handshake is a tls_error', async () => {
  for (const answer of ['', 'HTTP/1.1 400 Bad Request\r\n\r\n', '\x16\x03\x01\x40\x00nonsense']) {
    const receiver = await RawReceiver.start((socket) => socket.once('data', () => socket.end(answer)));
    const sender = createSender(GUARD);
    const url = receiver.url.replace('http:', 'https:');
    const outcome = await sender.send({
      method: 'POST',
      url,
      headers: {},
      body: Buffer.from('{}'),
      timeout: PATIENCE,
    });
    await sender.close();
    receiver.close();
    assert.equal(outcome.error?.kind, 'tls_error', JSON.stringify([answer, outcome]));
  }
});

test('invalid or mismatched certificates are named', () => {
  assert.deepEqual(tlsProblems(AUTHORITY, ...CLIENT), []);
  assert.deepEqual(tlsProblems('', '', ''), []);
  const bad: readonly (readonly [string, string, string])[] = [
    ['nonsense', '', ''],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', '', ''],
    ['', CLIENT[0], ''],
    ['', '', CLIENT[1]],
    ['', CLIENT[0], 'nonsense'],
    ['', CLIENT[0], pem('server.key')],
    ['x'.repeat(40_000), '', ''],
  ];
  for (const texts of bad)
    assert.equal(tlsProblems(...texts).length, 1, JSON.stringify(tlsProblems(...texts)));
});

/** A proxy that answers CONNECT with `answer`, and connects what comes after a 200 with where it was asked to. */
function startProxy(answer: string, asked: string[], target?: number): Promise<RawReceiver> {
  return RawReceiver.start((socket) => {
    socket.once('data', (head: Buffer) => {
      asked.push(head.toString());
      if (!answer.startsWith('HTTP/1.1 200') || target === undefined) {
        socket.end(answer);
        return;
      }
      const through = connect({ port: target, host: '127.0.0.1' }, () => {
        socket.write(answer);
        socket.pipe(through).pipe(socket);
      });
      through.on('error', () => socket.destroy());
      socket.on('close', () => through.destroy());
    });
  });
}

async function sendThrough(proxy: string, url: string): Promise<Outcome> {
  const sender = createSender(addressGuard([]), proxy);
  try {
    return await sender.send({
      method: 'POST',
      url,
      headers: {},
      body: Buffer.from('{}'),
      timeout: PATIENCE,
    });
  } finally {
    await sender.close();
  }
}

test('a delivery goes through the proxy, which alone resolves the name', async () => {
  const receiver = await RawReceiver.start((socket) => socket.once('data', () => socket.write(OK)));
  const asked: string[] = [];
  const proxy = await startProxy('HTTP/1.1 200 Connection established\r\n\r\n', asked, receiver.port);
  const outcome = await sendThrough(
    `http://me:s%40cret@127.0.0.1:${proxy.port}`,
    'http://only.known.there/x',
  );
  proxy.close();
  receiver.close();
  assert.equal(outcome.error, null, JSON.stringify(outcome));
  assert.equal(outcome.remoteIp, null);
  const credentials = Buffer.from('me:s@cret').toString('base64');
  assert.equal(
    asked[0],
    `CONNECT only.known.there:80 HTTP/1.1\r\nHost: only.known.there:80\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`,
  );
});

test('literal addresses in the URL are checked behind a proxy too', async () => {
  const asked: string[] = [];
  const proxy = await startProxy('HTTP/1.1 200 OK\r\n\r\n', asked);
  for (const host of ['169.254.169.254', '[::1]', '0x7f.1', 'localhost', 'a.localhost']) {
    const outcome = await sendThrough(`http://127.0.0.1:${proxy.port}`, `http://${host}/`);
    assert.equal(outcome.error?.kind, 'blocked_address', host);
  }
  proxy.close();
  assert.deepEqual(asked, []);
});

test('errors of the proxy differ from its errors about a receiver', async () => {
  const answers: readonly (readonly [string, string])[] = [
    ['HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'proxy_error'],
    ['HTTP/1.1 502 Bad Gateway\r\n\r\n', 'network_error'],
    ['HTTP/1.1 403 Forbidden\r\n\r\n', 'network_error'],
    ['nonsense\r\n\r\n', 'proxy_error'],
    ['HTTP/1.1 200 OK\r\n\r\nand more', 'proxy_error'],
    ['x'.repeat(10_000), 'proxy_error'],
    ['', 'proxy_error'],
  ];
  for (const [answer, kind] of answers) {
    const proxy = await startProxy(answer, []);
    const outcome = await sendThrough(`http://127.0.0.1:${proxy.port}`, 'http://receiver.test/');
    proxy.close();
    assert.equal(outcome.error?.kind, kind, JSON.stringify([answer.slice(0, 50), outcome]));
  }
  const closed = await startProxy('', []);
  closed.close();
  const outcome = await sendThrough(`http://127.0.0.1:${closed.port}`, 'http://receiver.test/');
  assert.equal(outcome.error?.kind, 'proxy_error');
});
