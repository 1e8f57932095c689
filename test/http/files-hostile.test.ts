/** Uploads that are broken, cut off, or made to break the parser: refused, with nothing left behind. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';
import { assertEnvelope, assertRefused } from '../support/wire.ts';

describe('hostile uploads', () => {
  let site: TestSite;
  before(async () => {
    site = await startTestSite('sqlite', {
      config: { uploads: { maxBytes: 100_000, defaultPrivate: false, perUserBytes: 0, stripMetadata: true } },
    });
  });
  after(async () => {
    await site.stop();
    assert.deepEqual(
      site.observed.filter(({ kind }) => kind === 'unexpected'),
      [],
    );
  });

  const PATH = '/api/method/upload_file';
  const TYPE = 'multipart/form-data; boundary=B';
  const FILE = 'Content-Disposition: form-data; name="file"; filename="f.txt"\r\n\r\ncontent';
  const field = (name: string, value: string) =>
    `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
  const body = (...parts: readonly string[]) =>
    `${parts.map((part) => `--B\r\n${part}\r\n`).join('')}--B--\r\n`;
  const post = (text: string, type = TYPE): Promise<TestReply> =>
    site.request('POST', PATH, { body: Buffer.from(text, 'latin1'), headers: { 'content-type': type } });

  async function keys(): Promise<string[]> {
    const found: string[] = [];
    for await (const { key } of site.site.storage.list()) found.push(key);
    return found;
  }
  async function files(): Promise<number> {
    return (await site.request('GET', '/api/method/frappe.client.get_count?doctype=File')).body.message;
  }

  test('a body that ends early is refused wherever it ends', async () => {
    const before = [await keys(), await files()];
    const whole = body(field('folder', 'Home'), FILE, field('is_private', '1'));
    for (let end = 0; end < whole.length - '--\r\n'.length; end += 1) {
      const reply = await post(whole.slice(0, end));
      assertRefused(reply, `cut at ${end}: ${JSON.stringify(whole.slice(0, end).slice(-30))}`);
    }
    assert.deepEqual([await keys(), await files()], before);
  });

  test('a file that is sent to another address is refused, wherever its form ends', async () => {
    const whole = body(field('a', '1'), FILE, field('b', '2'));
    // The last file is longer than what is parsed at once.
    const ends = Array.from({ length: whole.length }, (_, index) => whole.slice(0, index + 1));
    for (const text of [...ends, body(`${FILE}${'x'.repeat(100_000)}`)]) {
      const headers = { 'content-type': TYPE };
      const reply = await site.request('POST', '/api/method/ping', { as: null, body: text, headers });
      assertRefused(reply, JSON.stringify(text.slice(-30)));
    }
    assert.equal((await site.request('GET', '/api/method/ping')).status, 200);
  });

  test('a long part that the parser would leave out is refused too, at every address', async () => {
    for (const bytes of [60_000, 65_536, 70_000, 90_000, 240_000]) {
      const left = body(
        `Content-Disposition: attachment; name="a"\r\n\r\n${'x'.repeat(bytes)}`,
        field('b', '2'),
      );
      assertRefused(await post(left), `${bytes} bytes to an upload`);
      const headers = { 'content-type': TYPE };
      const reply = await site.request('POST', '/api/method/ping', { as: null, body: left, headers });
      assertRefused(reply, `${bytes} bytes to another address`);
    }
  });

  test('a part that the parser would leave out is refused, wherever it is', async () => {
    const before = [await keys(), await files()];
    const nameless = [
      'Content-Type: text/plain\r\n\r\nlost',
      '\r\nlost',
      'Content-Disposition: attachment; name="folder"\r\n\r\nHome',
      'Content-Disposition: form-data\r\n\r\nlost',
    ];
    for (const part of nameless) {
      for (const text of [body(part, FILE), body(FILE, part), body(part)]) {
        assertEnvelope(await post(text), 'BadRequestError');
      }
      const headers = { 'content-type': TYPE };
      const form = { body: body(field('first_name', 'x'), part), headers };
      assertEnvelope(await site.request('POST', '/api/resource/Role', form), 'BadRequestError');
    }
    assert.deepEqual([await keys(), await files()], before);
    const file = 'Content-Disposition: form-data; name="file"; filename="b.txt"\r\n\r\nx--B\r\n-B\n--B--';
    const reply = await post(`preamble\r\n${body(file, field('is_private', '1'))}\r\n--B\r\nepilogue`);
    assert.equal(reply.body.message.file_size, 'x--B\r\n-B\n--B--'.length, reply.text);
  });

  test('a client that goes away in the middle leaves nothing', async () => {
    const before = [await keys(), await files()];
    const { hostname, port } = new URL(site.url);
    for (const sent of [10, 1000, 60_000]) {
      const socket = connect({ host: hostname, port: Number(port) });
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      socket.write(
        `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: token ${site.adminKey}\r\nContent-Type: ${TYPE}\r\n` +
          `Content-Length: 900000\r\n\r\n--B\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${'x'.repeat(sent)}`,
      );
      // The temporary file is there as soon as the part has begun.
      await until(async () => (await keys()).length > (before[0] as string[]).length);
      socket.destroy();
      await until(async () => (await keys()).length === (before[0] as string[]).length);
    }
    assert.deepEqual([await keys(), await files()], before);
  });

  test('a client that sends far too much sees the refusal', async () => {
    const reply = await post(body(`${FILE}${'x'.repeat(30_000_000)}`));
    assertEnvelope(reply, 'MaxFileSizeReachedError');
  });

  test('a refusal before the bytes does not wait for a client that never sends them', async () => {
    const { hostname, port } = new URL(site.url);
    const socket = connect({ host: hostname, port: Number(port) });
    await once(socket, 'connect');
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPE}\r\nContent-Length: 90000\r\n\r\n--B\r\n`,
    );
    const [reply] = await once(socket, 'data');
    assert.match(String(reply), /^HTTP\/1\.1 403 /);
    socket.destroy();
  });

  test('a file is accepted nowhere else', async () => {
    for (const path of ['/api/resource/File', '/api/method/ping']) {
      const reply = await site.request('POST', path, { body: body(FILE), headers: { 'content-type': TYPE } });
      assertRefused(reply, path);
      assert.equal(reply.status, 415, path);
    }
  });
});
