/** Compressed replies: which ones, in which coding, with which tags, and which never. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';

const DECODE = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync };
type Coding = keyof typeof DECODE;
const CODINGS = Object.keys(DECODE) as Coding[];

interface Reply {
  readonly status: number;
  readonly coding: Coding | undefined;
  readonly vary: string | undefined;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
}

describeEither('compression', { apps: [notes] }, (site) => {
  /** A request whose reply is shown as it came. */
  function ask(
    method: string,
    path: string,
    accepted: string | null,
    { body, ...more }: Readonly<Record<string, string | undefined>> & { readonly body?: string } = {},
  ): Promise<Reply> {
    const headers = {
      ...(more['cookie'] === undefined && { authorization: `token ${site.adminKey}` }),
      ...(accepted !== null && { 'accept-encoding': accepted }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...more,
    };
    return new Promise((resolve, reject) => {
      const sent = request(site.url + path, { method, headers }, async (response) => {
        const bytes = Buffer.concat(await response.toArray());
        const coding = response.headers['content-encoding'] as Coding | undefined;
        resolve({
          status: response.statusCode ?? 0,
          coding,
          vary: response.headers.vary,
          etag: String(response.headers.etag),
          headers: response.headers,
          bytes,
          text: String(coding === undefined || bytes.length === 0 ? bytes : DECODE[coding](bytes)),
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  const LONG = 'The printer on the second floor does not print. '.repeat(100);
  const make = async (name: string, body = LONG) => {
    await site.make('Note', { name, title: 'T', body });
    return `/api/resource/Note/${name}`;
  };

  test('documents and lists are compressed as the client prefers', async () => {
    const path = await make('long');
    const fields = encodeURIComponent('["name","body"]');
    for (const address of [path, `/api/resource/Note?fields=${fields}`]) {
      const plain = await ask('GET', address, null);
      assert.equal(plain.coding, undefined);
      assert.equal(plain.vary, 'Accept-Encoding');
      for (const coding of CODINGS) {
        const reply = await ask('GET', address, coding);
        assert.equal(reply.coding, coding);
        assert.equal(reply.vary, 'Accept-Encoding');
        assert.equal(reply.text, plain.text);
        assert.ok(reply.bytes.length < plain.bytes.length / 3);
        assert.equal(reply.headers['content-length'], String(reply.bytes.length));
      }
      for (const [accepted, coding] of [
        ['gzip, deflate, br, zstd', 'br'],
        ['gzip, deflate, zstd', 'zstd'],
        ['br;q=0.5, gzip;q=0.8', 'gzip'],
        ['BR;q=1.0', 'br'],
        ['*', 'br'],
        ['*, br;q=0', 'zstd'],
        ['gzip;q=0', undefined],
        ['gzip;q=0.5, identity', undefined],
        ['deflate, compress', undefined],
        ['identity', undefined],
        ['gzip;q=nonsense', undefined],
        ['', undefined],
      ] as const) {
        assert.equal((await ask('GET', address, accepted)).coding, coding, accepted);
      }
    }
  });

  test('more long replies than are compressed at once all arrive', async () => {
    const path = await make('longer', LONG.repeat(20));
    const plain = await ask('GET', path, null);
    assert.ok(plain.bytes.length > LIMITS.compressInPlace);
    const asked = Array.from({ length: LIMITS.compressedAtOnce }, () => CODINGS).flat();
    for (const reply of await Promise.all(asked.map((coding) => ask('GET', path, coding))))
      assert.equal(reply.text, plain.text);
  });

  test('a reply just below the limit is not compressed, one of the limit is', async () => {
    await make('sized');
    for (const [bytes, coding] of [
      [LIMITS.compressBytes - 1, undefined],
      [LIMITS.compressBytes, 'gzip'],
    ] as const) {
      await site.ok('PUT', '/api/resource/Note/sized', { body: { body: 'x' } });
      const base = (await ask('GET', '/api/resource/Note/sized', null)).bytes.length - 1;
      await site.ok('PUT', '/api/resource/Note/sized', { body: { body: 'x'.repeat(bytes - base) } });
      const plain = await ask('GET', '/api/resource/Note/sized', null);
      assert.equal(plain.bytes.length, bytes);
      assert.equal((await ask('GET', '/api/resource/Note/sized', 'gzip')).coding, coding);
      assert.equal(plain.vary, coding && 'Accept-Encoding');
    }
  });

  test('errors, HEAD, and what a writer gets back', async () => {
    const path = await make('written');
    const wrong = await ask('GET', `/api/nowhere/${'x'.repeat(1_000)}`, 'gzip');
    assert.deepEqual([wrong.status, wrong.coding], [404, 'gzip']);
    assert.equal(JSON.parse(wrong.text).exc_type, 'DoesNotExistError');
    const head = await ask('HEAD', path, 'gzip');
    assert.deepEqual([head.status, head.coding, head.vary], [200, undefined, 'Accept-Encoding']);
    const changed = await ask('PUT', path, 'br', { body: '{"pages":3}' });
    assert.deepEqual([changed.coding, JSON.parse(changed.text).data.pages], ['br', 3]);
  });

  test('the tag of any coding is a condition; each coding has its own', async () => {
    const path = await make('tagged');
    const plain = await ask('GET', path, null);
    const tags = [plain.etag];
    for (const coding of CODINGS) tags.push((await ask('GET', path, coding)).etag);
    assert.equal(new Set(tags).size, tags.length);
    for (const tag of tags) {
      for (const accepted of [null, ...CODINGS]) {
        const known = await ask('GET', path, accepted, { 'if-none-match': `"other", ${tag}` });
        assert.deepEqual([known.status, known.etag, known.text], [304, tag, '']);
      }
    }
    let last = plain.etag;
    for (const [index, coding] of [...CODINGS, null].entries()) {
      const body = JSON.stringify({ pages: index + 1 });
      const { etag } = await ask('GET', path, coding);
      const saved = await ask('PUT', path, coding, { 'if-match': etag, body });
      assert.equal(saved.status, 200, saved.text);
      assert.notEqual(saved.etag, etag);
      assert.equal((await ask('PUT', path, coding, { 'if-match': last, body })).status, 412);
      last = etag;
    }
  });

  test('a streamed list is compressed as a stream', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => ({
      name: `r${index}`,
      title: `T${index}`,
      body: LONG,
    }));
    for (let at = 0; at < rows.length; at += 200) {
      const docs = rows.slice(at, at + 200).map((row) => ({ doctype: 'Note', ...row }));
      await site.call('frappe.client.insert_many', { docs });
    }
    const path = `/api/resource/Note?limit_page_length=0&fields=${encodeURIComponent('["name","body"]')}`;
    const plain = await ask('GET', path, null);
    assert.ok(plain.bytes.length > 10_000_000);
    assert.equal(plain.headers['content-length'], undefined);
    for (const coding of CODINGS) {
      const reply = await ask('GET', path, coding);
      assert.equal(reply.coding, coding);
      assert.ok(reply.bytes.length < plain.bytes.length / 10);
      assert.ok(reply.text === plain.text);
    }
  });

  test('files of text are compressed, their ranges are not', async () => {
    const upload = async (name: string, content: Buffer) => {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(content)]), name);
      return (await site.call('upload_file', form)).file_url;
    };
    const path = await upload('log.txt', Buffer.from(LONG));
    const whole = await ask('GET', path, 'gzip');
    assert.deepEqual([whole.coding, whole.text, whole.vary], ['gzip', LONG, 'Accept-Encoding']);
    const plain = await ask('GET', path, null);
    assert.deepEqual([plain.coding, plain.vary], [undefined, 'Accept-Encoding']);
    assert.equal((await ask('GET', path, 'gzip', { 'if-none-match': whole.etag })).status, 304);
    const range = { range: 'bytes=2-2001' };
    const part = await ask('GET', path, 'gzip', range);
    assert.deepEqual([part.status, part.coding, part.text], [206, undefined, LONG.slice(2, 2002)]);
    const same = await ask('GET', path, 'gzip', { ...range, 'if-range': plain.etag });
    assert.deepEqual([same.status, same.text], [206, LONG.slice(2, 2002)]);
    // A range of the compressed bytes is none of the file's.
    const coded = await ask('GET', path, 'gzip', { ...range, 'if-range': whole.etag });
    assert.deepEqual([coded.status, coded.text], [200, LONG]);
    const zip = await upload('data.zip', Buffer.alloc(5_000, 'x'));
    assert.equal((await ask('GET', zip, 'gzip')).coding, undefined);
  });

  test('replies that may hold a key, secret or token are never compressed', async () => {
    const hook = {
      webhook_doctype: 'Note',
      webhook_docevent: 'on_update',
      request_url: `https://example.com/${'a'.repeat(1_000)}`,
    };
    const body = JSON.stringify(hook);
    const doc = JSON.stringify({ doc: { doctype: 'Webhook', ...hook } });
    const once = { 'idempotency-key': 'a-webhook' };
    const [first, again] = [
      await ask('POST', '/api/resource/Webhook', 'gzip', { body, ...once }),
      await ask('POST', '/api/resource/Webhook', 'gzip', { body, ...once }),
    ];
    assert.match(first.text, /"secret":"whsec_/);
    assert.equal(again.text, first.text);
    const { name } = JSON.parse(first.text).data;
    const docs = JSON.stringify({ doctype: 'Webhook', name });
    const comment = JSON.stringify({ docs, method: 'add_comment', args: '{"text":"Hello"}' });
    for (const reply of [
      first,
      again,
      await ask('POST', '/api/method/frappe.client.insert', 'gzip', { body: doc }),
      await ask('GET', `/api/resource/Webhook/${name}`, 'gzip'),
      await ask('GET', `/api/v2/document/Webhook/${name}`, 'gzip'),
      await ask('GET', `/api/resource/User?fields=["*"]`, 'gzip'),
      await ask('GET', `/api/method/frappe.client.get?doctype=Webhook&name=${name}`, 'gzip'),
      await ask('POST', '/api/method/run_doc_method', 'gzip', { body: comment }),
      await ask('POST', '/api/method/chancery.webhook.preview', 'gzip', {
        body: JSON.stringify({ changes: hook }),
      }),
      await ask('GET', '/login?redirect-to=/app', 'gzip'),
      await ask('GET', `/update-password?key=${'k'.repeat(500)}`, 'gzip'),
    ]) {
      assert.equal(reply.status, 200, reply.text);
      assert.ok(reply.bytes.length >= LIMITS.compressBytes, reply.text);
      assert.deepEqual([reply.coding, reply.vary], [undefined, undefined], reply.text.slice(0, 200));
    }
  });

  test('the boot of a session is compressed, with a token that no two replies show alike', async () => {
    const login = await site.request('POST', '/api/method/login', {
      as: null,
      body: { usr: 'Administrator', pwd: 'admin-password' },
    });
    const sid = /sid=\w+/.exec(login.headers.getSetCookie().join())?.[0] ?? '';
    const tokens = new Set<string>();
    for (let turn = 0; turn < 3; turn += 1) {
      const boot = await ask('GET', '/api/method/chancery.ui.boot', 'br', { cookie: sid });
      assert.equal(boot.coding, 'br');
      tokens.add(JSON.parse(boot.text).message.csrf_token);
    }
    assert.equal(tokens.size, 3);
    for (const token of [...tokens, `${[...tokens][0]}00`, 'f'.repeat(128)]) {
      const reply = await site.request('POST', '/api/method/ping', {
        as: null,
        headers: { cookie: sid, origin: 'https://evil.example', 'x-frappe-csrf-token': token },
      });
      assert.equal(reply.status, tokens.has(token) ? 200 : 400);
    }
  });

  test('events are sent at once and uncompressed', async () => {
    const stop = new AbortController();
    const events = await fetch(`${site.url}/api/events?doctype=Note`, {
      headers: { authorization: `token ${site.adminKey}`, 'accept-encoding': 'gzip, br' },
      signal: stop.signal,
    });
    assert.equal(events.headers.get('content-encoding'), null);
    assert.equal(events.headers.get('vary'), null);
    await make('event');
    let text = '';
    for await (const chunk of events.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('"event"')) break;
    }
    stop.abort();
  });
});
