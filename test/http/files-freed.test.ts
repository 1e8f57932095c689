/** The memory of a small file is free once its reply is sent, and not before. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { fileSite } from '../support/files.ts';
import { until } from '../support/until.ts';

const BYTES = 100_000;
/** Replies that together are more than the buffers of a loopback connection hold. */
const REPLIES = 120;

describeEither('memory of downloads', fileSite(), (files) => {
  const { stored, get } = files;

  function keepBodies(): Buffer[] {
    const { storage } = files.site;
    const open = storage.open.bind(storage);
    const bodies: Buffer[] = [];
    storage.open = async (key, range) => {
      const opened = await open(key, range);
      if (Buffer.isBuffer(opened?.body)) bodies.push(opened.body);
      return opened;
    };
    return bodies;
  }

  test('a sent file leaves no memory to the garbage collector', async () => {
    const bodies = keepBodies();
    for (const bytes of [100, BYTES]) {
      const content = randomBytes(bytes);
      const { file_url: url } = await stored('sent.bin', content);
      assert.equal((await get(url)).status, 200);
      assert.equal((await get(url, null, { range: 'bytes=5-' })).status, 206);
    }
    assert.equal(bodies.length, 4);
    await until(() => bodies.every(({ length }) => length === 0));
  });

  test('a client that reads late gets every byte of every file', async () => {
    const bodies = keepBodies();
    const contents = [randomBytes(BYTES), randomBytes(BYTES)];
    const urls: string[] = [];
    for (const content of contents) urls.push((await stored('late.bin', content)).file_url);
    const { hostname, port } = new URL(files.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const requests = Array.from({ length: REPLIES }, (_, index) => {
      const end = index === REPLIES - 1 ? 'Connection: close\r\n' : '';
      return `GET ${urls[index % 2]} HTTP/1.1\r\nHost: x\r\n${end}\r\n`;
    });
    socket.write(requests.join(''));
    // Many replies wait in the server, which has opened their files.
    await until(() => bodies.length >= REPLIES / 2);
    const received = await buffer(socket);
    let at = 0;
    for (let index = 0; index < REPLIES; index += 1) {
      const start = received.indexOf('\r\n\r\n', at) + 4;
      at = start + BYTES;
      assert.deepEqual(received.subarray(start, at), contents[index % 2], `reply ${index}`);
    }
    assert.equal(at, received.length);
    await until(() => bodies.every(({ length }) => length === 0));
  });
});
