/** Whose an upload in parts is, what it counts against, and how it ends. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { collectOrphans } from '../../src/file/collect-orphans.ts';
import { prunePartials } from '../../src/file/partial-content.ts';
import { createServer } from '../../src/http/server.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite } from '../support/files.ts';
import { notes } from '../support/notes/app.ts';
import { until } from '../support/until.ts';
import { assertEnvelope } from '../support/wire.ts';

const TUS = '/api/files/tus';
const BYTES = 'application/offset+octet-stream';
const text = (value: string) => Buffer.from(value).toString('base64');

describeEither('uploads in parts and their users', fileSite(), (files, engine) => {
  interface Asked {
    readonly as?: string | null | undefined;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Uint8Array;
  }
  function tus(method: string, path: string, { as, headers, body }: Asked = {}) {
    return files.request(method, path, {
      headers: { 'tus-resumable': '1.0.0', ...(body ? { 'content-type': BYTES } : {}), ...headers },
      body,
      as,
    });
  }
  function begin(bytes: number, as?: string | null, more = '', headers = {}) {
    const metadata = `filename ${text('a.bin')}${more}`;
    const asked = { 'upload-length': String(bytes), 'upload-metadata': metadata, ...headers };
    return tus('POST', TUS, { headers: asked, as });
  }
  async function begun(bytes: number, as?: string, more?: string): Promise<string> {
    const reply = await begin(bytes, as, more);
    assert.equal(reply.status, 201, reply.text);
    return reply.headers.get('location') ?? '';
  }
  const patch = (path: string, offset: number, body: Uint8Array, as?: string) =>
    tus('PATCH', path, { body, headers: { 'upload-offset': String(offset) }, as });
  const keyOf = async (limits: object) => {
    const reply = await files.call('chancery.api_key.create', limits);
    return `token ${reply.api_key}:${reply.api_secret}`;
  };

  test('to everybody else an upload is not there', async () => {
    const path = await begun(10, 'writer');
    for (const method of ['HEAD', 'PATCH', 'DELETE']) {
      const others: Asked = {
        as: 'reader',
        ...(method === 'PATCH' ? { body: randomBytes(5), headers: { 'upload-offset': '0' } } : {}),
      };
      assert.equal((await tus(method, path, others)).status, 404, method);
      assert.equal((await tus(method, path, { ...others, as: null })).status, 403, method);
    }
    // Not even to Administrator, whose it is not.
    assert.equal((await tus('HEAD', path)).status, 404);
    assertEnvelope(await begin(10, null), 'PermissionError');
    assert.equal((await tus('HEAD', path, { as: 'writer' })).headers.get('upload-offset'), '0');
  });

  test('limited keys go on with what keys of the same limits began', async () => {
    const whole = await begun(4);
    const limited = await keyOf({ doctypes: ['File'] });
    assert.equal((await tus('HEAD', whole, { as: limited })).status, 404);
    const own = await begun(4, limited);
    assert.equal((await tus('HEAD', own, { as: limited })).status, 200);
    assert.equal((await tus('HEAD', own)).status, 404);
    const reads = await keyOf({ read_only: 1 });
    assertEnvelope(await begin(4, reads), 'PermissionError');
    const methods = await keyOf({ methods: ['frappe.client.get_list'] });
    assertEnvelope(await begin(4, methods), 'PermissionError');
    assert.equal((await begin(4, await keyOf({ methods: ['upload_file'] }))).status, 201);
  });

  test('a page of another site cannot upload with a session', async () => {
    const login = await files.request('POST', '/api/method/login', {
      as: null,
      body: { usr: 'Administrator', pwd: 'admin-password' },
    });
    const cookie = (login.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    assertEnvelope(await begin(4, null, '', { cookie, origin: 'https://evil.example' }), 'CSRFTokenError');
    assert.equal((await begin(4, null, '', { cookie })).status, 201);
  });

  test('the document is asked for permission at the beginning and at the end', async () => {
    const note = await files.create('Note', {});
    const onNote = `,doctype ${text('Note')},docname ${text(note)}`;
    assertEnvelope(await begin(4, 'reader', onNote), 'PermissionError');
    assertEnvelope(
      await begin(4, 'writer', `,doctype ${text('Note')},docname ${text('none')}`),
      'DoesNotExistError',
    );
    const keys = await files.keys();
    const path = await begun(4, 'writer', onNote);
    await patch(path, 0, randomBytes(2), 'writer');
    await files.request('DELETE', `/api/resource/Note/${note}`);
    assertEnvelope(await patch(path, 2, randomBytes(2), 'writer'), 'DoesNotExistError');
    // As before the last part, which may be sent again.
    assert.equal((await tus('HEAD', path, { as: 'writer' })).headers.get('upload-offset'), '2');
    assert.equal(await files.keys(), keys + 1);
    await tus('DELETE', path, { as: 'writer' });
    assert.equal(await files.keys(), keys);
  });

  test('a user has only so many unfinished uploads, also when they begin at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: LIMITS.partialUploads + 5 }, () => begin(1, 'outsider')),
    );
    const statuses = replies.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, LIMITS.partialUploads);
    assert.equal(statuses.filter((status) => status === 429).length, 5);
    const refused = replies.find(({ status }) => status === 429);
    assert.ok(refused);
    assertEnvelope(refused, 'TooManyRequestsError');
    const one = replies.find(({ status }) => status === 201)?.headers.get('location') ?? '';
    const done = await patch(one, 0, randomBytes(1), 'outsider');
    assert.ok(done.headers.get('upload-document'));
    assert.equal((await begin(1, 'outsider')).status, 201);
  });

  test('what a broken connection has brought is kept', async () => {
    const bytes = randomBytes(1_000);
    const path = await begun(1_000);
    const listed = async () => {
      const keys: string[] = [];
      for await (const { key } of files.site.storage.list()) keys.push(key);
      return keys;
    };
    const before = new Set(await listed());
    const { hostname, port } = new URL(files.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `PATCH ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: token ${files.adminKey}\r\n` +
        `Tus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: ${BYTES}\r\nContent-Length: 1000\r\n\r\n`,
    );
    socket.write(bytes.subarray(0, 400));
    // The first bytes are read before their part is begun.
    await until(async () => (await listed()).some((key) => !before.has(key)));
    socket.destroy();
    let offset = 0;
    await until(async () => {
      offset = Number((await tus('HEAD', path)).headers.get('upload-offset'));
      return offset > 0;
    });
    assert.ok(offset <= 400);
    const last = await patch(path, offset, bytes.subarray(offset));
    assert.equal(last.status, 204, last.text);
    const name = last.headers.get('upload-document') ?? '';
    assert.equal((await files.ok('GET', file(name))).file_size, 1_000);
  });

  test('a client that comes back is not kept waiting by its own connection that hangs', async () => {
    const path = await begun(10);
    const { hostname, port } = new URL(files.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `PATCH ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: token ${files.adminKey}\r\n` +
        `Tus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: ${BYTES}\r\nContent-Length: 10\r\n\r\nabc`,
    );
    let offset = 0;
    await until(async () => {
      offset = Number((await tus('HEAD', path)).headers.get('upload-offset'));
      return offset > 0;
    });
    assert.equal(offset, 3);
    assert.equal((await patch(path, 3, Buffer.from('defghij'))).status, 204);
    socket.destroy();
  });

  test('what is left for a day goes, with its bytes; what is not stays when leftovers are collected', async () => {
    const { site } = files;
    await prunePartials(site);
    const keys = await files.keys();
    const path = await begun(10);
    await patch(path, 0, randomBytes(5));
    await collectOrphans(
      site,
      {
        ...site.storage,
        async *list() {
          for await (const object of site.storage.list()) yield { ...object, modifiedAt: 0, ours: false };
        },
      },
      { alone: true },
    );
    await files.assertSound();
    assert.equal(await prunePartials(site), 0);
    assert.equal((await tus('HEAD', path)).headers.get('upload-offset'), '5');
    assert.equal(await files.keys(), keys + 1);

    const late = { micros: () => site.clock.micros() + (LIMITS.partialAge + 1_000) * 1_000 };
    while ((await prunePartials({ ...site, settings: site.settings, clock: late })) > 0);
    assert.equal((await tus('HEAD', path)).status, 404);
    assert.ok((await files.keys()) <= keys);
  });

  test('an upload goes on at another node, to which the File is known', {
    skip: engine === 'sqlite',
  }, async () => {
    const { config } = files.site;
    const data = await mkdtemp(join(tmpdir(), 'chancery-node-'));
    await copyFile(join(config.data, 'secret.key'), join(data, 'secret.key'));
    const other = await openSite({ ...config, data, files: join(config.data, 'files') }, { apps: [notes] });
    const server = createServer(other);
    try {
      const url = await server.listen({ host: '127.0.0.1', port: 0 });
      const bytes = randomBytes(100);
      const path = await begun(100);
      assert.equal((await patch(path, 0, bytes.subarray(0, 40))).status, 204);
      const headers = {
        authorization: `token ${files.adminKey}`,
        'tus-resumable': '1.0.0',
        'content-type': BYTES,
        'upload-offset': '40',
      };
      const last = await fetch(url + path, { method: 'PATCH', headers, body: bytes.subarray(40) });
      assert.equal(last.status, 204, await last.text());
      const name = (await tus('HEAD', path)).headers.get('upload-document') ?? '';
      const { file_url: address } = await files.ok('GET', file(name));
      const stored = await fetch(files.url + address);
      assert.deepEqual(Buffer.from(await stored.arrayBuffer()), bytes);
    } finally {
      await server.close();
      await other.close();
      await rm(data, { recursive: true, force: true });
    }
  });

  test('an upload whose parts were lost begins anew', async () => {
    const path = await begun(10);
    const before = new Set<string>();
    for await (const { key } of files.site.storage.list()) before.add(key);
    await patch(path, 0, randomBytes(5));
    for await (const { key } of files.site.storage.list()) {
      if (!before.has(key)) await files.site.storage.delete(key);
    }
    assertEnvelope(await patch(path, 5, randomBytes(5)), 'DoesNotExistError');
    assert.equal((await tus('HEAD', path)).status, 404);
  });
});
