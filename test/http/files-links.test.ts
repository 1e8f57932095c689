/** Links that open a private file without credentials: for whom, for how long, and what ends them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite } from '../support/files.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

describeEither('links to private files', fileSite(), (files) => {
  const ask = (name: string, as?: string, more: object = {}): Promise<TestReply> =>
    files.request('POST', '/api/method/chancery.file_link', { body: { name, ...more }, as });
  async function linkTo(name: string, as?: string, more: object = {}): Promise<string> {
    const reply = await ask(name, as, more);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.message.url;
  }
  async function assertClosed(link: string): Promise<void> {
    const refused = await files.get(link);
    const unknown = await files.get('/private/files/unknown.txt?link=AAAA');
    assertEnvelope(refused, 'PermissionError');
    assert.equal(refused.text, unknown.text);
  }

  test('whoever holds one has the file, with ranges, and nothing else', async () => {
    const doc = await files.stored('näme (1).txt', '0123456789', { is_private: '1' }, 'writer');
    const other = await files.stored('other.txt', '0123456789', { is_private: '1' }, 'writer');
    const link = await linkTo(doc.name, 'writer');
    for (const as of [null, 'outsider', 'writer']) {
      const reply = await files.get(link, as);
      assert.equal(reply.text, '0123456789');
      assert.equal(reply.headers.get('cache-control'), 'private, no-store');
    }
    assert.equal((await files.get(link, null, { range: 'bytes=1-2' })).text, '12');
    await files.ok('HEAD', link, { as: null });
    const [, token = ''] = link.split('?link=');
    assert.doesNotMatch(Buffer.from(token, 'base64url').toString('latin1'), /writer/);
    await assertClosed(doc.file_url);
    await assertClosed(`${other.file_url}?link=${token}`);
    const changed = (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
    for (const bad of [changed, token.slice(1), `${token}A`, token.slice(0, 20), 'A', '%00', `${token}=`]) {
      const reply = await files.get(`${doc.file_url}?link=${bad}`);
      assert.ok(reply.status === 403 || reply.status === 400, `${bad}: ${reply.status}`);
    }
    await assertClosed(`${doc.file_url}?link=${'A'.repeat(5000)}`);
    // It opens the url alone, and no document.
    assert.equal((await files.get(`${file(doc.name)}?link=${token}`)).status, 403);
    const download = `/api/method/download_file?file_url=${encodeURIComponent(doc.file_url)}&link=${token}`;
    assert.equal((await files.get(download)).status, 403);
  });

  test('only of what one may read, that is private, and within the longest life', async () => {
    const doc = await files.stored('mine.txt', 'x', { is_private: '1' }, 'writer');
    const open = await files.stored('open.txt', 'x', {}, 'writer');
    assertEnvelope(await ask(doc.name, 'outsider'), 'PermissionError');
    const forbidden = (await ask(doc.name, 'outsider')).text;
    assert.equal(forbidden.replaceAll(doc.name, 'nonsuch'), (await ask('nonsuch', 'outsider')).text);
    assertEnvelope(await ask(open.name, 'writer'), 'ValidationError');
    assertEnvelope(await ask('Home', 'writer'), 'ValidationError');
    for (const expires_in of [0, -1, 1.5, 'x', 604_801, '1e3', {}]) {
      assertEnvelope(await ask(doc.name, 'writer', { expires_in }), 'ValidationError');
    }
    assert.equal((await files.get(await linkTo(doc.name, 'writer', { expires_in: 604_800 }))).text, 'x');
  });

  test('it ends with its time', async (t) => {
    const doc = await files.stored('short.txt', 'x', { is_private: '1' }, 'writer');
    const link = await linkTo(doc.name, 'writer', { expires_in: 60 });
    assert.equal((await files.get(link)).status, 200);
    const { clock } = files.site;
    const now = clock.micros();
    t.mock.method(clock, 'micros', () => now + 61_000_000);
    await assertClosed(link);
  });

  test('it ends when the file is deleted, or public for a while', async () => {
    const doc = await files.stored('turned.txt', 'x', { is_private: '1' }, 'writer');
    const link = await linkTo(doc.name, 'writer');
    const turn = async (isPrivate: number) => {
      const body = { is_private: isPrivate };
      return (await files.ok('PUT', file(doc.name), { body, as: 'writer' })).file_url;
    };
    await turn(0);
    await assertClosed(link);
    assert.equal(await turn(1), doc.file_url);
    await assertClosed(link);
    const second = await linkTo(doc.name, 'writer');
    assert.equal((await files.get(second)).text, 'x');
    await files.request('DELETE', file(doc.name));
    await assertClosed(second);
    const again = await files.stored('turned.txt', 'x', { is_private: '1' }, 'writer');
    assert.equal(again.file_url, doc.file_url);
    await assertClosed(second);
  });

  test('it has the rights that its sender has now', async () => {
    const note = await files.create('Note', {}, 'writer');
    const on = { doctype: 'Note', docname: note, is_private: '1' };
    const doc = await files.stored('attached.txt', 'x', on, 'writer');
    const link = await linkTo(doc.name, 'reader');
    assert.equal((await files.get(link)).text, 'x');
    const roles = async (...names: string[]) => {
      const body = { roles: names.map((role) => ({ role })) };
      await files.ok('PUT', '/api/resource/User/reader@example.com', { body });
    };
    await roles();
    await assertClosed(link);
    await roles('Note Reader');
    assert.equal((await files.get(link)).text, 'x');
    const enable = (enabled: number) =>
      files.request('PUT', '/api/resource/User/reader@example.com', { body: { enabled } });
    await enable(0);
    await assertClosed(link);
    await enable(1);
    assert.equal((await files.get(link)).text, 'x');
  });

  test('a limited key makes none', async () => {
    const doc = await files.stored('limited.txt', 'x', { is_private: '1' }, 'writer');
    const body = { user: 'writer@example.com', methods: ['chancery.file_link'] };
    const made = await files.request('POST', '/api/method/chancery.api_key.create', { body });
    const { api_key, api_secret } = made.body.message;
    assertEnvelope(await ask(doc.name, `token ${api_key}:${api_secret}`), 'PermissionError');
  });
});
