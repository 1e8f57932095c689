/** The same bytes are kept once for each privacy, however many files have them and whoever comes or goes meanwhile. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { checkFiles } from '../../src/file/check-files.ts';
import { collectOrphans } from '../../src/file/collect-orphans.ts';
import type { Storage } from '../../src/file/storage.ts';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite } from '../support/files.ts';
import { until } from '../support/until.ts';
import { assertEnvelope } from '../support/wire.ts';

describeEither('files with the same bytes', fileSite(), (files) => {
  const { keys, stored } = files;

  const remove = (name: string) => files.request('DELETE', file(name));
  const admin = () => `token ${files.adminKey}`;
  // The storage as one sees it to whom everything that is on its way looks like an old leftover of another process.
  function impatient(): Storage {
    const { storage } = files.site;
    async function* list() {
      for await (const object of storage.list()) yield { ...object, ours: false, modifiedAt: 0 };
    }
    return { ...storage, list };
  }
  async function consistent(objects: number): Promise<void> {
    await until(async () => (await keys()) === objects);
    await files.assertSound();
  }

  test('each file has a url of its own, nobody learns of the others, and the bytes go with the last', async () => {
    const objects = await keys();
    const theirs = await stored('plan.txt', 'same bytes', { is_private: '1' }, 'writer');
    const own = await stored('other.txt', 'same bytes', { is_private: '1' }, 'outsider');
    assert.notEqual(own.file_url, theirs.file_url);
    assert.doesNotMatch(JSON.stringify(own), /plan/);
    await consistent(objects + 1);
    assertEnvelope(await files.get(theirs.file_url, 'outsider'), 'PermissionError');
    assert.equal((await remove(theirs.name)).status, 202);
    assertEnvelope(await files.get(theirs.file_url, 'writer'), 'PermissionError');
    assert.equal((await files.get(own.file_url, 'outsider')).text, 'same bytes');
    assert.equal((await remove(own.name)).status, 202);
    await consistent(objects);
  });

  test('private and public bytes are apart, and a file that changes takes along what others still need', async () => {
    const objects = await keys();
    const upload = (name: string, is_private: string) => stored(name, 'two classes', { is_private });
    const [open, one, two] = [
      await upload('o.txt', '0'),
      await upload('a.txt', '1'),
      await upload('b.txt', '1'),
    ];
    await consistent(objects + 2);
    const turn = async (name: string, is_private: number): Promise<string> => {
      const { body, text, status } = await files.request('PUT', file(name), { body: { is_private } });
      assert.equal(status, 200, text);
      const got = await files.get(body.data.file_url, admin());
      assert.equal(got.text, 'two classes');
      return body.data.file_url;
    };
    // Joins what is public already; then the last private one goes, too; then one comes back by a copy.
    await turn(one.name, 0);
    await consistent(objects + 2);
    await turn(two.name, 0);
    await consistent(objects + 1);
    assert.match(await turn(one.name, 1), /^\/private\//);
    await consistent(objects + 2);
    for (const { name } of [open, one, two]) assert.equal((await remove(name)).status, 202);
    await consistent(objects);
  });

  test('uploads, deletes and changes of privacy at once leave every file its bytes, and nothing else', async () => {
    const objects = await keys();
    const texts = ['shared one', 'shared two'];
    const left = new Map<string, string>();
    const turn = async (client: number): Promise<void> => {
      for (let round = 0; round < 6; round += 1) {
        const text = texts[(client + round) % 2] ?? '';
        const doc = await stored('busy.txt', text, { is_private: String(round % 2) });
        if (round % 3 === 1) {
          await files.ok('PUT', file(doc.name), { body: { is_private: 0 } });
        }
        if (round < 5) assert.equal((await remove(doc.name)).status, 202);
        else left.set(doc.name, text);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, client) => turn(client)));
    // A copy that turned out not to be needed, because someone else made the same, is a leftover like others.
    await collectOrphans(files.site, impatient(), { alone: true });
    await consistent(objects + 2);
    for (const [name, text] of left) {
      const { body } = await files.get(file(name), admin());
      assert.equal((await files.get(body.data.file_url, admin())).text, text);
    }
    await Promise.all([...left.keys()].map((name) => remove(name)));
    await consistent(objects);
  });

  test('the same bytes turn private and public at once, and everybody is served', async () => {
    const objects = await keys();
    const docs = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        stored(`turn-${index}.txt`, 'to and fro', { is_private: String(index % 2) }),
      ),
    );
    await Promise.all(
      docs.map(async ({ name }, index) => {
        for (let round = 1; round <= 6; round += 1) {
          const body = { is_private: (index + round) % 2 };
          const reply = await files.ok('PUT', file(name), { body });
          assert.equal((await files.get(reply.file_url, admin())).text, 'to and fro');
        }
      }),
    );
    // Each move that another one overtook leaves a copy: on a busy machine more than there are files.
    await collectOrphans(files.site, impatient(), { alone: true, most: true });
    await consistent(objects + 2);
    await Promise.all(docs.map(({ name }) => remove(name)));
    await consistent(objects);
  });

  test('what was given up as a leftover never becomes a file without bytes', async () => {
    const objects = await keys();
    const leftovers = impatient();
    let stop = false;
    const collecting = (async () => {
      while (!stop) await collectOrphans(files.site, leftovers, { alone: true });
    })();
    let refused = 0;
    for (let round = 0; round < 40; round += 1) {
      const text = `raced ${round}`;
      const reply = await files.upload('raced.txt', text);
      if (reply.status === 503) {
        assertEnvelope(reply, 'ServiceUnavailableError');
        refused += 1;
        continue;
      }
      assert.equal(reply.status, 200, reply.text);
      assert.equal((await files.get(reply.body.message.file_url)).text, text);
      assert.equal((await remove(reply.body.message.name)).status, 202);
    }
    stop = true;
    await collecting;
    assert.ok(refused < 40);
    await consistent(objects);
  });

  test('an upload to a bucket that began hours ago goes on as long as its process lives', async () => {
    const { storage } = files.site;
    const deleted: string[] = [];
    const begun = (ours: boolean) => ({ key: `${storage.newKey()}.part`, modifiedAt: 0, bytes: 0, ours });
    const [own, other] = [begun(true), begun(false)];
    const bucket: Storage = {
      ...storage,
      async *list() {
        yield own;
        yield other;
      },
      delete: async (key) => void deleted.push(key),
    };
    await collectOrphans(files.site, bucket, { alone: true });
    assert.deepEqual(deleted, [other.key]);
  });

  test('the check finds what is missing, damaged or left over', async () => {
    const doc = await stored('checked.txt', 'to be checked');
    const { database, storage } = files.site;
    const row = await database.reader.get(
      sql`select storage_key from _stored_file where file_url = ${doc.file_url}`,
    );
    const key = String(row?.['storage_key']);
    const problems = async () => {
      const found = [];
      for await (const { problem, url } of checkFiles(files.site)) found.push([problem, url]);
      return found;
    };
    const changed = {
      ...storage,
      open: () => Promise.resolve({ bytes: 13, body: Buffer.from('to be chequed') }),
    };
    const damaged = [];
    for await (const { problem, url } of checkFiles({ ...files.site, database, storage: changed })) {
      if (url === doc.file_url) damaged.push(problem);
    }
    assert.deepEqual(damaged, ['damaged']);
    // What the disk cannot read does not end the check.
    const path = storage.pathOf?.(key) ?? '';
    await rm(path);
    await mkdir(path);
    assert.deepEqual(await problems(), [['damaged', doc.file_url]]);
    await rmdir(path);
    await storage.delete(key);
    assert.deepEqual(await problems(), [['missing', doc.file_url]]);
    assert.equal((await remove(doc.name)).status, 202);
    const stray = storage.newKey();
    const { sha256 } = await storage.put(stray, Readable.from([Buffer.from('stray')]), { maxBytes: 5 });
    assert.equal(sha256, createHash('sha256').update('stray').digest('hex'));
    assert.deepEqual(await problems(), [['left over', null]]);
    await storage.delete(stray);
    assert.deepEqual(await problems(), []);
  });
});
