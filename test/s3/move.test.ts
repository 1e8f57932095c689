import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NO_S3, newBucket, startS3 } from '../support/s3.ts';
import { spawnChancery, startServerProcess } from '../support/server-process.ts';

const KEY = 'move-key:move-secret-0123456789';
const AS = { authorization: `token ${KEY}` };

test('a site moves from the disk into a bucket, to another bucket, and back', { skip: NO_S3 }, async () => {
  const data = await mkdtemp(join(tmpdir(), 'chancery-move-'));
  const server = await startS3();
  const env = { CHANCERY_ADMIN_API_KEY: KEY };
  const places = [join(data, 'files'), await newBucket(server), await newBucket(server), join(data, 'back')];
  const stored = new Map<string, string>();
  try {
    for (const [index, place] of places.entries()) {
      const on = await startServerProcess(['--data', data, '--files', place], { env });
      try {
        const text = `written in place ${index}`;
        const form = new FormData();
        form.set('file', new Blob([text]), `${index}.txt`);
        const reply = await fetch(`${on.url}/api/method/upload_file`, {
          method: 'POST',
          headers: AS,
          body: form,
        });
        const { message } = (await reply.json()) as { message: { file_url: string } };
        stored.set(message.file_url, text);
        for (const [url, expected] of stored)
          assert.equal(await (await fetch(on.url + url)).text(), expected);
      } finally {
        await on.end('SIGTERM');
      }
      const next = places[index + 1];
      if (next === undefined) break;
      const argv = ['files', 'move', next, '--data', data, '--files', place];
      const moved = await spawnChancery(argv, { env }).finished;
      assert.equal(moved.code, 0, moved.stderr);
      assert.match(moved.stdout, new RegExp(`^${index + 1} objects .*; 0 were already there`, 'm'));
      assert.doesNotMatch(moved.stdout + moved.stderr, /testing/);
      if (index > 0) continue;
      const checked = await spawnChancery(['files', 'check', '--data', data, '--files', next], { env })
        .finished;
      assert.equal(checked.code, 0, checked.stdout);
      const shown = await spawnChancery(['config', '--files', next], { env }).finished;
      assert.doesNotMatch(shown.stdout, /testing/);
      assert.match(shown.stdout, /s3:\/\//);
      const doctor = await spawnChancery(['doctor', '--data', data, '--files', next], { env }).finished;
      assert.match(doctor.stdout, /^ok +files +The S3 store answers$/m);
    }
  } finally {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
});
