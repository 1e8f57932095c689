/** Stored files that have lost bytes: clients see an error and never wait for the rest, and the log tells. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { truncate } from 'node:fs/promises';
import { Agent, get as send } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import sharp from 'sharp';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { type FileSite, file, startFileSite } from '../support/files.ts';
import { NO_S3, newBucket, startS3 } from '../support/s3.ts';
import { until } from '../support/until.ts';

const MB = 1024 * 1024;
const maxBytes = 16 * MB;
const uploads = { ...DEFAULT_CONFIG.uploads, maxBytes };

/**
 * What became of a request on a connection that is kept: its status, and `broken` when the body did not come
 * to its end.
 */
async function outcome(
  files: FileSite,
  path: string,
  headers: Record<string, string> = {},
): Promise<unknown[]> {
  const agent = new Agent({ keepAlive: true });
  try {
    const authorization = `token ${files.adminKey}`;
    const request = send(files.url + path, { agent, headers: { authorization, ...headers } });
    const [reply] = await once(request, 'response');
    reply.resume();
    const end = await Promise.race([
      once(reply, 'end').then(() => 'whole'),
      once(reply, 'error').then(() => 'broken'),
    ]);
    return [reply.statusCode, end];
  } catch {
    return ['none', 'broken'];
  } finally {
    agent.destroy();
  }
}

async function keyOf(files: FileSite, url: string): Promise<string> {
  const { reader } = files.site.database;
  const row = await reader.get(sql`select storage_key from _stored_file where file_url = ${url}`);
  return String(row?.['storage_key']);
}

for (const store of ['a disk', 'S3']) {
  test(`on ${store}, requests for files that have lost bytes end with an error`, {
    skip: store === 'S3' && NO_S3,
  }, async () => {
    const server = store === 'S3' ? await startS3() : null;
    const files = await startFileSite('sqlite', {
      uploads,
      ...(server && { files: await newBucket(server) }),
    });
    try {
      const { site } = files;
      const raw = { width: 300, height: 300, channels: 3 } as const;
      const image = await sharp(randomBytes(300 * 300 * 3), { raw })
        .png()
        .toBuffer();
      const contents = [Buffer.from(image), randomBytes(100_000), randomBytes(3 * MB)];
      for (const [index, content] of contents.entries()) {
        const { name, file_url: url } = await files.stored(`${index}.png`, new Uint8Array(content));
        const key = await keyOf(files, url);
        await site.storage.put(key, Readable.from([content.subarray(0, content.length - 10)]), { maxBytes });
        const zip = `/api/method/frappe.core.api.file.zip_files?files=["${name}"]`;
        const last = content.length - 20;
        const before = files.observed.length;
        const replies = [
          await outcome(files, url),
          await outcome(files, `/api/method/download_file?file_url=${url}`),
          await outcome(files, url, { range: `bytes=${last}-` }),
          await outcome(files, url, { range: `bytes=0-9,${last}-` }),
          await outcome(files, zip),
          ...(index === 0 ? [await outcome(files, `${url}?w=64`)] : []),
        ];
        for (const [status, end] of replies)
          assert.ok(status === 500 || end === 'broken', JSON.stringify(replies));
        assert.deepEqual(replies[0], [500, 'whole'], 'before the reply began it is an error like others');
        const told = files.observed
          .slice(before)
          .filter(({ kind }) => kind === 'unexpected' || kind === 'reply_broken');
        assert.equal(told.length, replies.length);
        for (const one of told) {
          assert.ok('error' in one && one.error instanceof Error);
          assert.match(one.error.message, new RegExp(`${key} has fewer bytes`));
        }
        // Not one byte more is lost than was lost.
        const part = await files.get(url, null, { range: 'bytes=0-9' });
        assert.equal(part.status, 206);
      }
    } finally {
      await files.end();
      await server?.stop();
    }
  });
}

test('a file that loses bytes while it is sent breaks the connection off', async () => {
  const files = await startFileSite('sqlite', { uploads });
  try {
    const { file_url: url } = await files.stored('large.bin', randomBytes(12 * MB));
    const agent = new Agent({ keepAlive: true });
    const request = send(files.url + url, { agent });
    const [reply] = await once(request, 'response');
    assert.equal(reply.statusCode, 200);
    await truncate(files.site.storage.pathOf?.(await keyOf(files, url)) ?? '', 11 * MB);
    reply.resume();
    await once(reply, 'error');
    agent.destroy();
    const told = files.observed.filter(({ kind }) => kind === 'reply_broken');
    assert.equal(told.length, 1);
  } finally {
    await files.stop();
  }
});

test('a file deleted while its ranges are sent is sent to the end', async () => {
  const files = await startFileSite('sqlite', { uploads });
  try {
    const content = randomBytes(MB);
    const { name, file_url: url } = await files.stored('ranges.bin', content);
    const { storage } = files.site;
    const { open } = storage;
    Object.assign(storage, {
      open: async (...args: Parameters<typeof open>) => {
        Object.assign(storage, { open });
        await files.ok('DELETE', file(name));
        await until(async () => (await storage.stat(args[0])) === null);
        return open(...args);
      },
    });
    const reply = await fetch(files.url + url, { headers: { range: 'bytes=0-9,1000-1009' } });
    assert.equal(reply.status, 206);
    const body = Buffer.from(await reply.arrayBuffer());
    assert.ok(body.includes(content.subarray(0, 10)));
    assert.ok(body.includes(content.subarray(1000, 1010)));
    assert.equal((await files.get(url)).status, 404);
  } finally {
    await files.stop();
  }
});
