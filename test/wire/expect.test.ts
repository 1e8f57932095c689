/** Bodies that the server refuses before it reads them: on every route, with and without `Expect: 100-continue`. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer } from '../../src/http/server.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { notes } from '../support/notes/app.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { assertEnvelope, type RawReply, sendRaw } from '../support/wire.ts';

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=B';
const TUS_BYTES = 'application/offset+octet-stream';
const HUGE = 100 * 1024 ** 3;
const EXPECT = 'Expect: 100-continue';
const WRONG = 'Authorization: token nobody:nothing';

const auth = 'Authorization: token admin-key:admin-secret-0123456789';
let site: TestSite;
before(async () => {
  const uploads = { maxBytes: 100_000, defaultPrivate: false, perUserBytes: 0, stripMetadata: true };
  site = await startTestSite('sqlite', {
    apps: [notes],
    users: { reader: ['Note Reader'], sharer: [] },
    config: { uploads },
    wire: { uploadLinger: 400 },
  });
});
afterEach(async () => {
  await site.ok('GET', '/api/method/frappe.auth.get_logged_user');
});
after(async () => {
  await site.stop();
  assert.deepEqual(
    site.observed.filter(({ kind }) => kind === 'unexpected' || kind === 'reply_broken'),
    [],
  );
});

interface Target {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly access: string;
}

/** Every route that may get a body, with each content type that it reads. */
async function targets(): Promise<Target[]> {
  const server = createServer(site.site);
  await server.ready();
  const found = server.registeredRoutes
    .filter(({ method, offered }) => offered && !['GET', 'HEAD', 'OPTIONS'].includes(method))
    .flatMap(({ method, path, access, work }) => {
      // The method takes GET and POST.
      if (path.includes(':method') && method !== 'POST') return [];
      const address = path
        .replace(':doctype', 'Note')
        .replace(':method', 'notes.echo')
        .replaceAll(/:\w+|\*/g, 'x');
      const types = [JSON_TYPE, FORM];
      if (path.startsWith('/api/files/tus')) {
        if (method !== 'DELETE') types.splice(0, 2, TUS_BYTES);
      } else if (work === 'upload') types.push(MULTIPART);
      return types.map((type) => ({ method, path: address, type, access }));
    });
  await server.close();
  return found;
}

function head({ method, path, type }: Target, ...headers: readonly string[]): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: a', `Content-Type: ${type}`, 'Tus-Resumable: 1.0.0'];
  return [...lines, ...headers, '', ''].join('\r\n');
}

/** Sends a head, and the rest when the server asks for it. Reads until the server closes. */
async function converse(first: string, rest: string): Promise<{ asked: boolean; text: string }> {
  const { hostname, port } = new URL(site.url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  let text = '';
  let asked = false;
  socket.on('data', (chunk: Buffer) => {
    text += chunk;
    if (asked || !text.startsWith('HTTP/1.1 100 Continue\r\n\r\n')) return;
    asked = true;
    socket.write(rest);
  });
  socket.write(first);
  await once(socket, 'close');
  return { asked, text };
}

function assertTooLarge(reply: RawReply, { method, path, type }: Target): void {
  const what = `${method} ${path} ${type}`;
  assert.equal(reply.status, 413, `${what}: ${reply.text}`);
  assert.equal(reply.headers.get('connection'), 'close', what);
  if (path.startsWith('/api/v2/'))
    assert.equal(JSON.parse(reply.text).errors[0].type, 'RequestTooLargeError');
  else assertEnvelope(reply, 'RequestTooLargeError');
}

test('a body announced as too long gives 413 on every route before a byte is read', async () => {
  const all = await targets();
  assert.ok(all.length > 40, String(all.length));
  const length = `Content-Length: ${HUGE}`;
  await Promise.all(
    all.map(async (target) => {
      assertTooLarge(await sendRaw(site.url, head(target, auth, length)), target);
      assertTooLarge(await sendRaw(site.url, head(target, auth, length, EXPECT)), target);
    }),
  );
});

test('credentials are checked before the body is requested, on every route', async () => {
  const all = (await targets()).filter(({ access }) => access !== 'client');
  await Promise.all(
    all.map(async (target) => {
      const length = `Content-Length: ${HUGE}`;
      const what = JSON.stringify(target);
      const wrong = await sendRaw(site.url, head(target, WRONG, length, EXPECT));
      assert.ok([401, 429].includes(wrong.status), `${what}: ${wrong.status} ${wrong.text}`);
      if (target.access !== 'user') return;
      const missing = await sendRaw(site.url, head(target, length, EXPECT));
      assert.ok([403, 429].includes(missing.status), `${what}: ${missing.status} ${missing.text}`);
    }),
  );
});

test('a client that waits for 100-continue gets it or an error, on every route', async () => {
  await Promise.all(
    (await targets()).map(async (target) => {
      const first = head(target, auth, 'Content-Length: 2', 'Connection: close', EXPECT);
      const { asked, text } = await converse(first, target.type === JSON_TYPE ? '{}' : 'xx');
      const what = `${JSON.stringify(target)}: ${text}`;
      assert.match(
        text,
        asked ? /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 [2-4]\d\d/ : /^HTTP\/1\.1 4\d\d/,
        what,
      );
      if ([JSON_TYPE, FORM].includes(target.type)) assert.ok(asked, what);
    }),
  );
});

test('missing routes, and routes closed to Guests, are refused before the body is requested', async () => {
  for (const [path, status] of [
    ['/nowhere', 404],
    ['/api/nowhere/at/all', 404],
    ['/api/method/nowhere', 404],
    ['/api/v2/method/nowhere', 404],
    ['/api/method/notes.nothing', 405],
    ['/api/method/frappe.client.insert', 403],
    ['/api/method/frappe.client.insert/x', 403],
    ['/api/v2/method/frappe.client.insert', 403],
    ['/api/method/upload_file', 403],
    ['/api/files/tus', 403],
  ] as const) {
    const target: Target = { method: 'POST', path, type: JSON_TYPE, access: '' };
    for (const length of [2, HUGE]) {
      const reply = await sendRaw(site.url, head(target, `Content-Length: ${length}`, EXPECT));
      assert.equal(reply.status, status, `${path}: ${reply.text}`);
    }
  }
});

describe('a write that the caller may make to no document', () => {
  const write = (method: string, path: string): Target => ({ method, path, type: JSON_TYPE, access: '' });
  const key = (user: string) => `Authorization: ${site.keyOf(user)}`;
  const body = JSON.stringify({ title: 'T' });
  const length = `Content-Length: ${body.length}`;
  const writes = [
    write('POST', '/api/resource/Note'),
    write('PUT', '/api/resource/Note/shared'),
    write('DELETE', '/api/resource/Note/shared'),
    write('POST', '/api/v2/document/Note'),
    write('PATCH', '/api/v2/document/Note/shared'),
    write('DELETE', '/api/v2/document/Note/shared'),
    write('POST', '/api/resource/System%20Settings'),
  ];

  for (const [who, credentials] of [
    ['a Guest', () => []],
    ['a user', () => [key('reader')]],
  ] as const) {
    test(`is refused before ${who} sends the body`, async () => {
      for (const target of writes) {
        const reply = await sendRaw(site.url, head(target, ...credentials(), length, EXPECT));
        assert.equal(reply.status, 403, reply.text);
      }
    });
  }
  test('is refused before the body also for an unknown doctype', async () => {
    const reply = await sendRaw(site.url, head(write('POST', '/api/resource/Nowhere'), length, EXPECT));
    assertEnvelope(reply, 'DoesNotExistError');
  });
  test('is not refused if a share may allow it', async () => {
    await site.make('Note', { name: 'shared', title: 'T' });
    const put = write('PUT', '/api/resource/Note/shared');
    const share = { doctype: 'Note', name: 'shared', user: 'sharer@example.com', read: 1, write: 1 };
    await site.ok('POST', '/api/method/frappe.share.add', { body: share });
    const { asked, text } = await converse(
      head(put, key('sharer'), length, 'Connection: close', EXPECT),
      body,
    );
    assert.ok(asked, text);
    assert.match(text, /HTTP\/1\.1 200 OK/);
  });
  test('is not refused if a stored answer may exist', async () => {
    const post = write('POST', '/api/resource/Note');
    const headers = [key('reader'), length, 'Idempotency-Key: k', 'Connection: close', EXPECT];
    const { asked, text } = await converse(head(post, ...headers), body);
    assert.ok(asked, text);
    assert.match(text, /HTTP\/1\.1 403 Forbidden/);
  });
});

describe('an upload with Expect', () => {
  const upload: Target = { method: 'POST', path: '/api/method/upload_file', type: MULTIPART, access: '' };
  const form =
    '--B\r\nContent-Disposition: form-data; name="file"; filename="f.txt"\r\n\r\ncontent\r\n--B--\r\n';

  test('is stored after 100-continue', async () => {
    const length = `Content-Length: ${form.length}`;
    const { asked, text } = await converse(head(upload, auth, length, 'Connection: close', EXPECT), form);
    assert.ok(asked);
    assert.match(text, /HTTP\/1\.1 200 OK.*"file_name":"f.txt"/s);
  });
  test('in parts is stored after 100-continue', async () => {
    const begun = await site.request('POST', '/api/files/tus', {
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '7',
        'upload-metadata': `filename ${Buffer.from('parts.txt').toString('base64')}`,
      },
    });
    const path = begun.headers.get('location') ?? '';
    const patch: Target = { method: 'PATCH', path, type: TUS_BYTES, access: '' };
    const more = await sendRaw(site.url, head(patch, auth, 'Upload-Offset: 0', 'Content-Length: 8', EXPECT));
    assertTooLarge(more, patch);
    const wrong = await sendRaw(site.url, head(patch, auth, 'Upload-Offset: 3', 'Content-Length: 4', EXPECT));
    assert.equal(wrong.status, 409);
    const headers = [auth, 'Upload-Offset: 0', 'Content-Length: 7', 'Connection: close', EXPECT];
    const { asked, text } = await converse(head(patch, ...headers), 'content');
    assert.ok(asked);
    assert.match(text, /HTTP\/1\.1 204 /);
  });
  test('refused by its document gets no 100-continue', async () => {
    const nowhere = { ...upload, path: `${upload.path}?doctype=Note&docname=nowhere` };
    const reply = await sendRaw(site.url, head(nowhere, auth, `Content-Length: ${form.length}`, EXPECT));
    assertEnvelope(reply, 'DoesNotExistError');
  });
});

describe('a client that sends an unread body', () => {
  const echo: Target = { method: 'POST', path: '/api/method/notes.echo', type: JSON_TYPE, access: '' };
  const bytes = LIMITS.bodyBytes + 1;

  for (const [what, type, headers, status] of [
    ['too much', JSON_TYPE, [auth], 413],
    ['too much, after no answer', JSON_TYPE, [auth, EXPECT], 413],
    ['with wrong credentials', JSON_TYPE, [WRONG], 401],
    ['too much of an unknown type, with one request', 'x/y', [auth, 'Connection: close'], 413],
  ] as const) {
    test(`${what}, gets the error and is disconnected`, async () => {
      const start = head({ ...echo, type }, `Content-Length: ${bytes}`, ...headers);
      const reply = await sendRaw(site.url, Buffer.concat([Buffer.from(start), Buffer.alloc(bytes, ' ')]));
      assert.equal(reply.status, status, reply.text);
      assert.equal(reply.headers.get('connection'), 'close');
      assert.doesNotThrow(() => JSON.parse(reply.text));
    });
  }
  for (const [what, type, credentials] of [
    ['with wrong credentials', JSON_TYPE, WRONG],
    ['with an unknown type', 'x/y', auth],
  ] as const) {
    test(`slowly, ${what}, is disconnected after the error`, async () => {
      const { hostname, port } = new URL(site.url);
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.resume().write(head({ ...echo, type }, credentials, 'Content-Length: 1000'));
      const drip = setInterval(() => socket.write('x'), 20);
      await new Promise((resolve) => socket.once('close', resolve));
      clearInterval(drip);
    });
  }
  test('a connection continues after a short unread body', async () => {
    const next = 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const reply = await sendRaw(site.url, `${head(echo, WRONG, 'Content-Length: 7')}{"a":1}${next}`);
    assert.equal(reply.status, 401);
    assert.match(reply.text, /HTTP\/1\.1 200 OK.*\{"status":"ok"\}$/s);
  });
});

describe('an endless chunked form gives 413', () => {
  const upload: Target = { method: 'POST', path: '/api/method/upload_file', type: MULTIPART, access: '' };
  for (const [what, beginning] of [
    ['before its parts', ''],
    ['in a field', '--B\r\nContent-Disposition: form-data; name="folder"\r\n\r\n'],
    ['in the head of a part', '--B\r\nContent-Disposition: form-data; x="'],
  ] as const) {
    test(what, async () => {
      const most = 100_000 + LIMITS.uploadFields * LIMITS.uploadFieldBytes + LIMITS.uploadFormBytes;
      const chunk = (bytes: Buffer) => [
        Buffer.from(`${bytes.length.toString(16)}\r\n`),
        bytes,
        Buffer.from('\r\n'),
      ];
      const reply = await sendRaw(
        site.url,
        Buffer.concat([
          Buffer.from(head(upload, auth, 'Transfer-Encoding: chunked')),
          ...(beginning === '' ? [] : chunk(Buffer.from(beginning))),
          ...chunk(Buffer.alloc(most, 'x')),
          ...chunk(Buffer.from('x')),
        ]),
      );
      assertEnvelope(reply, 'RequestTooLargeError');
      assert.equal(reply.headers.get('connection'), 'close');
    });
  }
});

test('an injected request is refused like any other', async () => {
  const server = createServer(site.site, { uploadLinger: 20 });
  const reply = await server.inject({ method: 'POST', url: '/api/nowhere', payload: 'x'.repeat(1_000) });
  assert.equal(reply.statusCode, 404);
  // An error after the reply would be uncaught, and fail the process.
  await delay(100);
  await server.close();
});
