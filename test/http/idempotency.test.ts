/** `Idempotency-Key`: however often a client sends a request, it has one effect and one answer. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { sql } from '../../src/db/sql.ts';
import { readContext } from '../../src/document/context.ts';
import { countDocuments } from '../../src/document/list/list.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { defineApp, defineController } from '../../src/site/app.ts';
import { pruneReplies } from '../../src/site/stored-replies.ts';
import { describeEngines, useStarted } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import { startTestSite, type TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

describeEngines('Idempotency-Key', (engine) => {
  let writer: string;
  let gate = Promise.withResolvers<void>();
  let entered = Promise.withResolvers<void>();
  const slow = defineApp({
    name: 'slow',
    controllers: {
      Note: defineController({
        async validate(doc) {
          if (doc.title === 'fails') throw new Error('a bug');
          if (doc.title !== 'waits') return;
          entered.resolve();
          await gate.promise;
        },
      }),
    },
  });
  const site = useStarted(() => startTestSite(engine, { apps: [notes, slow] }));
  before(async () => {
    writer = await site.createUser('writer@example.com', ['System Manager', 'Note Writer']);
  });

  const post = (key: string, body: unknown, more: { path?: string; as?: string } = {}): Promise<TestReply> =>
    site.request('POST', more.path ?? '/api/resource/Note', {
      body,
      headers: { 'idempotency-key': key },
      ...(more.as === undefined ? {} : { as: more.as }),
    });
  const notesTitled = (title: string): Promise<number> =>
    countDocuments(readContext(site.site, ADMINISTRATOR), 'Note', { filters: { title } });

  test('the second request gets the first one’s answer, and changes nothing', async () => {
    const first = await post('create-1', { name: 'once', title: 'once' });
    assert.equal(first.status, 200, first.text);
    assert.equal(first.headers.get('idempotent-replayed'), null);
    const second = await post('create-1', { name: 'once', title: 'once' });
    assert.deepEqual([second.status, second.text], [first.status, first.text]);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal(second.headers.get('etag'), first.headers.get('etag'));
    assert.equal(await notesTitled('once'), 1);
    // Without a key it is another request.
    const third = await site.request('POST', '/api/resource/Note', { body: { name: 'once', title: 'once' } });
    assertEnvelope(third, 'DuplicateEntryError');
  });

  test('methods and the root door too; more keys beside the message come again', async () => {
    for (const path of ['/api/method/notes.add_two', '/?cmd=notes.add_two']) {
      const body = { name: `two${path.length}`, title: 'Two' };
      const first = await post(`method ${path}`.replaceAll(' ', ':'), body, { path });
      const second = await post(`method ${path}`.replaceAll(' ', ':'), body, { path });
      assert.deepEqual([first.status, second.status], [200, 200], second.text);
      assert.equal(second.text, first.text);
    }
  });

  test('another body, path or query under the same key is refused', async () => {
    await post('other-1', { name: 'other', title: 'other' });
    for (const reply of [
      await post('other-1', { name: 'other', title: 'changed' }),
      await post('other-1', { name: 'other', title: 'other' }, { path: '/api/resource/Tag' }),
      await post('other-1', { name: 'other', title: 'other' }, { path: '/api/resource/Note?x=1' }),
    ]) {
      assertEnvelope(reply, 'IdempotencyError');
    }
  });

  test('a key belongs to its user', async () => {
    assert.equal((await post('mine', { name: 'mine-1', title: 'a' })).status, 200);
    const theirs = await post('mine', { name: 'mine-2', title: 'a' }, { as: writer });
    assert.notEqual(theirs.status, 422, theirs.text);
    assert.equal(theirs.headers.get('idempotent-replayed'), null);
  });

  test('a failure stores nothing: the request may be sent again', async () => {
    assertEnvelope(await post('again', { name: '', title: 'x' }), 'ValidationError');
    assert.equal((await post('again', { name: 'again', title: 'x' })).status, 200);
    assert.equal((await post('bug', { name: 'bug', title: 'fails' })).status, 500);
    assert.equal((await post('bug', { name: 'bug', title: 'works' })).status, 200);
  });

  test('while the first one runs, the second is told to wait', async () => {
    gate = Promise.withResolvers();
    entered = Promise.withResolvers();
    const first = post('slow', { name: 'slow', title: 'waits' });
    await entered.promise;
    const second = await post('slow', { name: 'slow', title: 'waits' });
    gate.resolve();
    assertEnvelope(second, 'IdempotencyInProgressError');
    assert.equal(second.headers.get('retry-after'), '1');
    const { status, text } = await first;
    assert.equal(status, 200, text);
    assert.equal((await post('slow', { name: 'slow', title: 'waits' })).text, text);
  });

  test('twenty at once: one effect', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        post('race', { title: 'race', name: 'race' }).then((r) => [index, r] as const),
      ),
    );
    for (const [, reply] of replies) assert.ok([200, 409].includes(reply.status), reply.text);
    assert.ok(replies.some(([, reply]) => reply.status === 200));
    assert.equal(await notesTitled('race'), 1);
  });

  test('an upload is stored once; another file under the same key is refused', async () => {
    const upload = (bytes: string) => {
      const form = new FormData();
      form.set('file', new Blob([bytes]), 'a.txt');
      return site.request('POST', '/api/method/upload_file', {
        body: form,
        headers: { 'idempotency-key': 'up' },
      });
    };
    const first = await upload('same bytes');
    assert.equal(first.status, 200, first.text);
    const second = await upload('same bytes');
    assert.equal(second.text, first.text);
    assertEnvelope(await upload('other bytes'), 'IdempotencyError');
    const ctx = readContext(site.site, ADMINISTRATOR);
    assert.equal(await countDocuments(ctx, 'File', { filters: { file_name: 'a.txt' } }), 1);
  });

  test('a secret in a reply is stored encrypted', async () => {
    const path = '/api/method/frappe.core.doctype.user.user.generate_keys';
    const made = await post('keys', { user: 'writer@example.com' }, { path });
    const secret: string = made.body.message.api_secret;
    assert.deepEqual((await post('keys', { user: 'writer@example.com' }, { path })).body, made.body);
    const rows = await site.site.database.reader.all(sql`select "body" from "_reply"`);
    assert.ok(rows.length > 0);
    for (const row of rows) assert.ok(!String(row['body']).includes(secret));
  });

  test('malformed and overlong keys are refused', async () => {
    for (const key of ['with space', 'a, b', 'x'.repeat(LIMITS.idempotencyKeyLength + 1), 'ü']) {
      assertEnvelope(await post(key, { name: 'k', title: 'k' }), 'BadRequestError');
    }
    assert.equal(
      (await post('x'.repeat(LIMITS.idempotencyKeyLength), { name: 'k', title: 'k' })).status,
      200,
    );
  });

  test('a key is free again after its time, and retention deletes what was kept for it', async () => {
    await post('old', { name: 'old-1', title: 'old' });
    const past = Math.floor(site.site.clock.micros() / 1000) - LIMITS.idempotencyWindow - 1;
    await site.site.database.transaction((db) => db.run(sql`update "_reply" set "created_at" = ${past}`));
    assert.equal((await post('old', { name: 'old-2', title: 'old' })).status, 200);
    assert.ok((await pruneReplies(site.site)) > 1);
    const left = await site.site.database.reader.all(sql`select "key" from "_reply"`);
    assert.equal(left.length, 1);
  });
});
