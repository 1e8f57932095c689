/** tus-js-client against a server that is killed while an upload is under way: it goes on where it was. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Upload } from 'tus-js-client';
import { diskStorage } from '../../src/file/disk-storage.ts';
import { engineOf } from '../support/describe-site.ts';
import { freePort } from '../support/free-port.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

import { siteDatabase } from '../support/site-database.ts';
import { PATIENCE, until } from '../support/until.ts';

const SIZE = 50 * 1024 * 1024;
const KEY = 'tus-key:tus-secret-0123456789';
const AS = { authorization: `token ${KEY}` };

for (const engine of engineOf('uploads')) {
  test(`after kill -9 an upload in parts resumes on ${engine}`, async () => {
    const data = await mkdtemp(join(tmpdir(), 'chancery-tus-'));
    const { url: database, drop } = await siteDatabase(engine, data);
    const port = await freePort();
    const argv = ['--data', data, '--port', String(port), ...(database ? ['--database', database] : [])];
    const env = { CHANCERY_ADMIN_API_KEY: KEY, CHANCERY_UPLOADS_MAX_BYTES: String(2 * SIZE) };
    const start = () => startServerProcess(argv, { env });
    let server: ServerProcess = await start();
    try {
      const bytes = randomBytes(SIZE);
      const kills: number[] = [];
      const offsets: number[] = [];
      let restarting: Promise<void> | null = null;
      const restart = async () => {
        await server.end('SIGKILL');
        server = await start();
      };
      let document: string | null = null;
      await new Promise<void>((resolve, reject) => {
        // Without a chunk size: the client sends all there is in one request.
        const upload = new Upload(bytes, {
          endpoint: `${server.url}/api/files/tus`,
          headers: AS,
          metadata: { filename: 'big.bin', is_private: '1' },
          // Until the next server listens, however long its start takes.
          retryDelays: Array.from({ length: PATIENCE / 250 }, () => 250),
          onProgress(sent) {
            // Some way into each of two requests.
            if (kills.length < 2 && restarting === null && sent > (kills.length + 1) * 18 * 1024 * 1024) {
              kills.push(sent);
              restarting = restart().finally(() => {
                restarting = null;
              });
              restarting.catch(reject);
            }
          },
          onAfterResponse(request, response) {
            if (request.getMethod() === 'HEAD') offsets.push(Number(response.getHeader('Upload-Offset')));
            document = response.getHeader('Upload-Document') ?? document;
          },
          onSuccess: () => resolve(),
          onError: reject,
        });
        upload.start();
      });
      // The last bytes may arrive, and be answered, before the second signal does.
      await restarting;
      assert.equal(kills.length, 2);
      assert.ok(
        offsets.some((offset) => offset > 0),
        `nothing was kept: ${offsets}`,
      );
      assert.ok(document);
      const reply = await fetch(`${server.url}/api/resource/File/${document}`, { headers: AS });
      const { data: doc } = (await reply.json()) as { data: { file_url: string; is_private: number } };
      assert.equal(doc.is_private, 1);
      const stored = await fetch(server.url + doc.file_url, { headers: AS });
      assert.ok(Buffer.from(await stored.arrayBuffer()).equals(bytes));
      if (engine === 'postgres') return;
      // The database of one process: what the dead one left goes at the start of the next.
      await server.end('SIGKILL');
      server = await start();
      await until(async () => {
        let objects = 0;
        for await (const _ of diskStorage(join(data, 'files')).list()) objects += 1;
        return objects === 1;
      });
    } finally {
      await server.end('SIGKILL');
      await rm(data, { recursive: true, force: true });
      await drop();
    }
  });
}

/** A port that is free now: the client finds the server where it was. */
