/** Public and private files over real HTTP on both engines. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import { test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { fileSite, MAX_BYTES, PNG } from '../support/files.ts';
import { until } from '../support/until.ts';
import { assertEnvelope, sendRaw } from '../support/wire.ts';

describeEither('downloads', fileSite(), (files) => {
  const { stored, create, get } = files;

  test('headers keep the file from running in our origin', async () => {
    for (const name of ['page.html', 'drawing.svg', 'data.xml', 'script.js']) {
      const doc = await stored(
        name,
        '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      );
      const { headers } = await get(doc.file_url);
      assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="/);
      assert.equal(headers.get('content-type'), 'application/octet-stream');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('content-security-policy'), "sandbox; default-src 'none'");
    }
    const image = await get((await stored('p.png', PNG)).file_url);
    assert.equal(image.headers.get('content-type'), 'image/png');
    assert.match(image.headers.get('content-disposition') ?? '', /^inline;/);
    const fake = await get((await stored('fake.png', '<html>')).file_url);
    assert.match(fake.headers.get('content-disposition') ?? '', /^attachment;/);
  });

  test('HEAD, ranges and conditions follow RFC 9110', async () => {
    const { file_url: url } = await stored('range.txt', '0123456789');
    const whole = await get(url);
    const etag = whole.headers.get('etag') ?? '';
    assert.equal(whole.headers.get('content-length'), '10');
    assert.equal(whole.headers.get('accept-ranges'), 'bytes');
    const head = await files.request('HEAD', url, { as: null });
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    for (const name of ['content-length', 'etag', 'content-type', 'content-disposition', 'last-modified']) {
      assert.equal(head.headers.get(name), whole.headers.get(name), name);
    }
    const part = await get(url, null, { range: 'bytes=2-4' });
    assert.equal(part.status, 206);
    assert.equal(part.text, '234');
    assert.equal(part.headers.get('content-range'), 'bytes 2-4/10');
    assert.equal(part.headers.get('content-length'), '3');
    assert.equal((await get(url, null, { range: 'bytes=-3' })).text, '789');
    const outside = await get(url, null, { range: 'bytes=10-' });
    assertEnvelope(outside, 'RangeNotSatisfiableError');
    assert.equal(outside.headers.get('content-range'), 'bytes */10');
    assert.equal((await get(url, null, { range: 'bytes=0-4,5-9' })).text, '0123456789');
    const ranged = await files.request('HEAD', url, { as: null, headers: { range: 'bytes=2-4' } });
    assert.deepEqual([ranged.status, ranged.headers.get('content-length')], [200, '10']);
    const changed = await get(url, null, { 'if-match': '"old"' });
    assertEnvelope(changed, 'PreconditionFailedError');
    assert.equal((await get(url, null, { 'if-match': etag })).text, '0123456789');
    const unchanged = await get(url, null, { 'if-none-match': etag });
    assert.equal(unchanged.status, 304);
    assert.equal(unchanged.text, '');
    assert.equal(unchanged.headers.get('etag'), etag);
    const since = whole.headers.get('last-modified') ?? '';
    assert.equal((await get(url, null, { 'if-modified-since': since })).status, 304);
    const resumed = { range: 'bytes=5-', 'if-range': etag };
    assert.equal((await get(url, null, resumed)).text, '56789');
    assert.equal((await get(url, null, { ...resumed, 'if-range': '"old"' })).text, '0123456789');
  });

  test('several ranges come in one multipart body', async () => {
    const content = randomBytes(MAX_BYTES);
    const { file_url: url } = await stored('ranges.bin', content);
    const response = await fetch(files.url + url, { headers: { range: 'bytes=5-9,150000-,0-0,-3' } });
    assert.equal(response.status, 206);
    const [, boundary = ''] =
      /^multipart\/byteranges; boundary=(\w+)$/.exec(response.headers.get('content-type') ?? '') ?? [];
    const part = (start: number, end: number) =>
      Buffer.concat([
        Buffer.from(
          `\r\n--${boundary}\r\nContent-Type: application/octet-stream\r\n` +
            `Content-Range: bytes ${start}-${end}/${MAX_BYTES}\r\n\r\n`,
        ),
        content.subarray(start, end + 1),
      ]);
    const last = MAX_BYTES - 1;
    const expected = Buffer.concat([
      part(5, 9),
      part(150_000, last),
      part(0, 0),
      part(last - 2, last),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
    const body = Buffer.from(await response.arrayBuffer());
    assert.ok(body.equals(expected));
    assert.equal(response.headers.get('content-length'), String(expected.length));
    const again = await fetch(files.url + url, { headers: { range: 'bytes=0-1,4-5' } });
    assert.notEqual(again.headers.get('content-type'), response.headers.get('content-type'));
    await again.arrayBuffer();
    const outside = await get(url, null, { range: 'bytes=200000-,300000-300001' });
    assertEnvelope(outside, 'RangeNotSatisfiableError');
  });

  test('download_file keeps images too', async () => {
    const { file_url: url } = await stored('kept.png', PNG);
    const { headers } = await get(`/api/method/download_file?file_url=${url}`);
    assert.match(headers.get('content-disposition') ?? '', /^attachment;/);
    assert.equal(headers.get('content-type'), 'image/png');
  });

  test('an unknown public url is 404, an unknown private one looks like a forbidden one', async () => {
    assertEnvelope(await get('/files/unknown.txt'), 'DoesNotExistError');
    const doc = await stored('mine.txt', 'x', { is_private: '1' }, 'writer');
    for (const as of [null, 'outsider']) {
      const forbidden = await get(doc.file_url, as);
      const unknown = await get('/private/files/unknown.txt', as);
      assertEnvelope(forbidden, 'PermissionError');
      assert.equal(unknown.status, 403);
      assert.equal(unknown.text, forbidden.text);
    }
    assert.equal((await get(doc.file_url, 'writer')).text, 'x');
  });

  test('private means private for HEAD, ranges and conditions too, and is not cached', async () => {
    const doc = await stored('secret.txt', 'secret', { is_private: '1' }, 'writer');
    const allowed = await get(doc.file_url, 'writer');
    const etag = allowed.headers.get('etag') ?? '';
    assert.match(allowed.headers.get('cache-control') ?? '', /private, no-store/);
    assert.equal((await files.request('HEAD', doc.file_url, { as: 'outsider' })).status, 403);
    assert.equal((await get(doc.file_url, 'outsider', { range: 'bytes=0-1' })).status, 403);
    assert.equal((await get(doc.file_url, 'outsider', { 'if-none-match': etag })).status, 403);
    assert.equal((await get(doc.file_url, 'outsider', { 'if-none-match': '*' })).status, 403);
  });

  test('an attached private file follows the document, request by request', async () => {
    const note = await create('Note', {}, 'writer');
    const on = { doctype: 'Note', docname: note, is_private: '1' };
    const doc = await stored('attached.txt', 'x', on, 'writer');
    assert.equal((await get(doc.file_url, 'reader')).status, 200);
    assert.equal((await get(doc.file_url, 'outsider')).status, 403);
    const own = await create('Case', { subject: 'mine' }, 'outsider');
    const case_ = await stored('case.txt', 'x', { doctype: 'Case', docname: own, is_private: '1' });
    assert.equal((await get(case_.file_url, 'outsider')).status, 200);
    assert.equal((await get(case_.file_url, 'reader')).status, 403);
  });

  test('other ways to write the address never reach another file', async () => {
    const doc = await stored('target.txt', 'secret bytes', { is_private: '1' }, 'writer');
    const name = doc.file_url.split('/').at(-1);
    const paths = [
      `/files/../private/files/${name}`,
      `/files/..%2fprivate%2ffiles%2f${name}`,
      `/files/%2e%2e/private/files/${name}`,
      `/files/%252e%252e%252fprivate/files/${name}`,
      `//private/files/${name}`,
      `/private//files/${name}`,
      `/private/files/./${name}`,
      `/private/files//${name}`,
      `/private%2ffiles%2f${name}`,
      `/private%2Ffiles/${name}`,
      `/PRIVATE/FILES/${name}`,
      `/private/files/${name}/`,
      `/private/files/${name}%00`,
      `/private/files/${name}%20`,
      `/private\\files\\${name}`,
      `/files/${name}`,
      '/files/../../../../etc/passwd',
      '/files/..%5c..%5cetc%5cpasswd',
      '/files/%c0%ae%c0%ae/etc/passwd',
      '/files/',
      '/private/files/',
      '/files',
    ];
    for (const path of paths) {
      const reply = await sendRaw(files.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      assert.ok(reply.status >= 400 && reply.status < 500, `${path}: ${reply.status}`);
      assert.doesNotMatch(reply.text, /secret bytes|root:/, path);
    }
    // Percent signs that mean the very same characters are the same address.
    const same = await get(doc.file_url.replace('target', '%74arget'), 'writer');
    assert.equal(same.text, 'secret bytes');
  });

  test('a client that goes away in mid-download leaves no open file behind', async () => {
    const doc = await stored('long.bin', randomBytes(MAX_BYTES));
    for (let round = 0; round < 5; round += 1) {
      const abort = new AbortController();
      const response = await fetch(files.url + doc.file_url, { signal: abort.signal });
      await response.body?.getReader().read();
      abort.abort();
    }
    await until(async () => !(await openFiles()).some((path) => path.startsWith(files.site.config.data)));
  });
});

/** What this process, and so the server, has open right now; nothing where the system does not say. */
async function openFiles(): Promise<string[]> {
  const fds = await readdir('/proc/self/fd').catch(() => []);
  const paths = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return paths.filter((path) => path.includes('/files/'));
}
