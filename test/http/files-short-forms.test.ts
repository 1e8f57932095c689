/** Short forms, which the server reads whole: of every shape, in pieces, and many on one connection. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { describeEither } from '../support/describe-site.ts';
import { fileSite } from '../support/files.ts';

describeEither('short forms', fileSite(), (files) => {
  test('are stored byte for byte, and leave the connection to the next request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let isFirst = true;

    async function send(form: FormData, pieces: number): Promise<string> {
      const encoded = new Response(form);
      const body = Buffer.from(await encoded.arrayBuffer());
      const sent = request(`${files.url}/api/method/upload_file`, {
        agent,
        method: 'POST',
        headers: {
          authorization: `token ${files.adminKey}`,
          'content-type': encoded.headers.get('content-type') ?? '',
          'content-length': body.length,
        },
      });
      const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
      const size = Math.ceil(body.length / pieces);
      for (let at = 0; at < body.length; at += size) {
        sent.write(body.subarray(at, at + size));
        await turn();
      }
      sent.end();
      const [reply] = await answered;
      const text = (await buffer(reply)).toString();
      assert.equal(reply.statusCode, 200, text);
      assert.equal(sent.reusedSocket, !isFirst);
      isFirst = false;
      return JSON.parse(text).message.file_url;
    }

    // The second name is for the parser that streams.
    for (const name of ['plain.bin', 'größer.bin']) {
      for (const bytes of [0, 1, 5_000, 100_000]) {
        for (const pieces of [1, 3, 40]) {
          const content = randomBytes(bytes);
          const form = new FormData();
          form.set('is_private', '0');
          form.set('file', new Blob([content]), name);
          form.set('folder', 'Home');
          const got = await fetch(files.url + (await send(form, pieces)));
          assert.deepEqual(Buffer.from(await got.arrayBuffer()), content, `${name}, ${bytes} in ${pieces}`);
        }
      }
    }
    agent.destroy();
    await files.assertSound();
  });

  test('of two files, and of one after a field that is refused, leave nothing', async () => {
    const before = await files.keys();
    const form = new FormData();
    for (const name of ['a.bin', 'b.bin']) form.append('file', new Blob([randomBytes(100)]), name);
    assert.equal((await files.request('POST', '/api/method/upload_file', { body: form })).status, 413);
    const refused = await files.upload('a.bin', randomBytes(100), { is_private: 'perhaps' });
    assert.equal(refused.status, 417);
    assert.equal(await files.keys(), before);
    await files.assertSound();
  });
});
