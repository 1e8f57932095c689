/** Clients that do not read: they keep a bounded number of bytes in memory, for a bounded time. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { defineMethod } from '../../src/document/verbs/method.ts';
import { notes } from '../support/notes/app.ts';
import { PATIENT, startTestSite, type TestSite, type TestSiteOptions } from '../support/site.ts';
import { until } from '../support/until.ts';
import { assertEnvelope } from '../support/wire.ts';

const MB = 1024 * 1024;
/** More than the buffers of a loopback connection hold. */
const LARGE = 12 * MB;

let made = 0;
const app = {
  ...notes,
  methods: {
    ...notes.methods,
    large: defineMethod({
      http: ['GET', 'POST'],
      allowGuest: true,
      args: { bytes: { type: 'Int' } },
      async run(_ctx, { bytes }) {
        made += 1;
        return 'x'.repeat(Number(bytes ?? LARGE));
      },
    }),
  },
};

async function start(options: TestSiteOptions, work: (site: TestSite) => Promise<void>): Promise<void> {
  const uploads = { ...DEFAULT_CONFIG.uploads, maxBytes: 2 * LARGE };
  const site = await startTestSite('sqlite', {
    apps: [app],
    ...options,
    config: { uploads, ...options.config },
  });
  try {
    await work(site);
  } finally {
    await site.stop();
  }
}

/** Sends a request on a connection of its own and reads the first bytes of the reply, and no more. */
async function leaveUnread(site: TestSite, path: string, as?: string): Promise<Socket> {
  const { hostname, port } = new URL(site.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  const signed = as ? `Authorization: ${as}\r\n` : '';
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${signed}\r\n`);
  await once(socket, 'readable');
  assert.equal(String(socket.read(12)), 'HTTP/1.1 200');
  return socket;
}

/** Reads what is left. Resolves to how many bytes, once the connection has ended or the body is complete. */
async function readRest(socket: Socket, enough: number): Promise<number> {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes >= enough) socket.destroy();
  });
  await once(socket, 'close');
  return bytes;
}

/** The value of a line of metrics. */
function numberIn(lines: readonly string[], name: string): number {
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1));
}

async function unsentBytes(site: TestSite): Promise<number> {
  const { text } = await site.request('GET', '/metrics');
  return numberIn(text.split('\n'), 'chancery_http_unsent_bytes');
}

/** How many replies were cut off for a reason. Asks nothing of the server, which may be busy with the test. */
function cutOff(site: TestSite, reason: 'slow' | 'budget'): number {
  return numberIn(site.site.metrics.lines(), `chancery_http_replies_cut_total{reason="${reason}"}`);
}

test('a caller with too many unread bytes is refused reads, and nothing else, until they are read', async () => {
  const admission = { ...PATIENT, unsentPerCaller: LARGE + MB };
  await start({ config: { admission } }, async (site) => {
    const reader = await site.createUser('reader@example.com', ['Note Writer']);
    const other = await site.createUser('other@example.com', ['Note Writer']);
    for (const [who, as] of [
      ['user', reader],
      ['Guest', undefined],
    ] as const) {
      const unread = await leaveUnread(site, '/api/method/large', as);
      assert.ok((await unsentBytes(site)) >= LARGE);
      const headers = { 'accept-encoding': 'identity' };
      const large = () => site.request('GET', '/api/method/large', { as: as ?? null, headers });
      const post = () => site.request('POST', '/api/method/large', { as: as ?? null, body: { bytes: 9 } });
      const small = '/api/method/large?bytes=9';
      await site.ok('GET', small, { as: as ?? null });
      const refused = await large();
      assertEnvelope(refused, 'ServiceUnavailableError');
      assert.equal(refused.headers.get('retry-after'), '5');
      const before = made;
      for (const reply of [await large(), await site.request('GET', small, { as: as ?? null })]) {
        assertEnvelope(reply, 'ServiceUnavailableError');
      }
      assert.equal(made, before, `the work is not begun for a ${who}`);
      // What changes something is done, and answered.
      assert.equal((await post()).status, 200);
      await site.ok('GET', '/api/method/large', { as: other });
      assert.ok((await readRest(unread, LARGE)) >= LARGE);
      await until(async () => (await large()).status === 200);
    }
    await until(async () => (await unsentBytes(site)) < MB);
    assert.equal(cutOff(site, 'budget'), 0);
  });
});

test('of too many unread bytes in total, the largest reply is cut off', async () => {
  const admission = { ...PATIENT, unsent: 2 * LARGE };
  await start({ config: { admission } }, async (site) => {
    const users = [await site.createUser('a@example.com', []), await site.createUser('b@example.com', [])];
    const largest = await leaveUnread(site, `/api/method/large?bytes=${LARGE + 1}`, users[0]);
    const next = await leaveUnread(site, '/api/method/large', users[1]);
    assert.ok((await readRest(largest, LARGE)) < LARGE);
    assert.ok((await readRest(next, LARGE)) >= LARGE);
    assert.equal(cutOff(site, 'budget'), 1);
  });
});

test('a client that takes too little of any reply is cut off; one that waits for the server is not', async () => {
  await start({ wire: { readerIdleTimeout: 5_000 } }, async (site) => {
    const admin = `token ${site.adminKey}`;
    const form = new FormData();
    form.set('file', new Blob([randomBytes(LARGE)]), 'large.bin');
    const { body } = await site.request('POST', '/api/method/upload_file', { body: form });
    const text = 'x'.repeat(3 * MB);
    for (const name of ['a', 'b', 'c', 'd']) {
      await site.make('Note', { name, title: name, body: text });
    }
    const events = await leaveUnread(site, '/api/events?doctype=Note', admin);
    const zip = `/api/method/frappe.core.api.file.zip_files?files=["${body.message.name}"]`;
    const list = '/api/resource/Note?fields=["*"]';
    const paths = [
      '/api/method/large',
      body.message.file_url,
      `/api/method/download_file?file_url=${body.message.file_url}`,
      zip,
      list,
      `${list}&limit_page_length=0`,
    ];
    const unread = await Promise.all(paths.map((path) => leaveUnread(site, path, admin)));
    await until(async () => cutOff(site, 'slow') === paths.length);
    for (const socket of unread) assert.ok((await readRest(socket, LARGE)) < LARGE);
    await until(async () => (await unsentBytes(site)) < MB);
    const told = site.observed.filter(
      (one) => one.kind === 'warning' && /did not read fast/.test(one.message),
    );
    assert.ok(told.length > 0);
    // The stream of events had nothing to say meanwhile.
    await site.request('POST', '/api/resource/Note', { body: { name: 'e', title: 'e' } });
    let heard = '';
    events.on('data', (chunk) => {
      heard += chunk;
    });
    await until(async () => heard.includes('event: change'));
    events.destroy();
  });
});
