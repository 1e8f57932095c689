/** Links that open a private file without credentials: for whom, for how long, and what ends them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { file, useFileSite } from '../support/files.ts';
import { ENGINES, type TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

for (const engine of ENGINES) {
  describe(`links to private files on ${engine}`, () => {
    const files = useFileSite(engine);

    const ask = (name: string, as?: string, more: object = {}): Promise<TestReply> =>
      files.site.request('POST', '/api/method/chancery.file_link', {
        body: { name, ...more },
        ...(as ? { as } : {}),
      });
    async function linkTo(name: string, as?: string, more: object = {}): Promise<string> {
      const reply = await ask(name, as, more);
      assert.equal(reply.status, 200, reply.text);
      return reply.body.message.url;
    }
    async function assertClosed(link: string): Promise<void> {
      const refused = await files.get(link);
      const unknown = await files.get('/private/files/unknown.txt?link=AAAA');
      assertEnvelope(refused, 403, 'PermissionError');
      assert.equal(refused.text, unknown.text);
    }

    test('whoever holds one has the file, with ranges, and nothing else', async () => {
      const doc = await files.stored('näme (1).txt', '0123456789', { is_private: '1' }, files.writer);
      const other = await files.stored('other.txt', '0123456789', { is_private: '1' }, files.writer);
      const link = await linkTo(doc.name, files.writer);
      for (const as of [null, files.outsider, files.writer]) {
        const reply = await files.get(link, as);
        assert.equal(reply.text, '0123456789');
        assert.equal(reply.headers.get('cache-control'), 'private, no-store');
      }
      assert.equal((await files.get(link, null, { range: 'bytes=1-2' })).text, '12');
      assert.equal((await files.site.request('HEAD', link, { as: null })).status, 200);
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
      const doc = await files.stored('mine.txt', 'x', { is_private: '1' }, files.writer);
      const open = await files.stored('open.txt', 'x', {}, files.writer);
      assertEnvelope(await ask(doc.name, files.outsider), 403, 'PermissionError');
      const forbidden = (await ask(doc.name, files.outsider)).text;
      assert.equal(forbidden.replaceAll(doc.name, 'nonsuch'), (await ask('nonsuch', files.outsider)).text);
      assertEnvelope(await ask(open.name, files.writer), 417, 'ValidationError');
      assertEnvelope(await ask('Home', files.writer), 417, 'ValidationError');
      for (const expires_in of [0, -1, 1.5, 'x', 604_801, '1e3', {}]) {
        assertEnvelope(await ask(doc.name, files.writer, { expires_in }), 417, 'ValidationError');
      }
      assert.equal(
        (await files.get(await linkTo(doc.name, files.writer, { expires_in: 604_800 }))).text,
        'x',
      );
    });

    test('it ends with its time', async (t) => {
      const doc = await files.stored('short.txt', 'x', { is_private: '1' }, files.writer);
      const link = await linkTo(doc.name, files.writer, { expires_in: 60 });
      assert.equal((await files.get(link)).status, 200);
      const { clock } = files.site.site;
      const now = clock.micros();
      t.mock.method(clock, 'micros', () => now + 61_000_000);
      await assertClosed(link);
    });

    test('it ends when the file is deleted, or public for a while', async () => {
      const doc = await files.stored('turned.txt', 'x', { is_private: '1' }, files.writer);
      const link = await linkTo(doc.name, files.writer);
      const turn = async (isPrivate: number) => {
        const body = { is_private: isPrivate };
        const reply = await files.site.request('PUT', file(doc.name), { body, as: files.writer });
        assert.equal(reply.status, 200, reply.text);
        return reply.body.data.file_url;
      };
      await turn(0);
      await assertClosed(link);
      assert.equal(await turn(1), doc.file_url);
      await assertClosed(link);
      const second = await linkTo(doc.name, files.writer);
      assert.equal((await files.get(second)).text, 'x');
      await files.site.request('DELETE', file(doc.name));
      await assertClosed(second);
      const again = await files.stored('turned.txt', 'x', { is_private: '1' }, files.writer);
      assert.equal(again.file_url, doc.file_url);
      await assertClosed(second);
    });

    test('it has the rights that its sender has now', async () => {
      const note = await files.create('Note', {}, files.writer);
      const on = { doctype: 'Note', docname: note, is_private: '1' };
      const doc = await files.stored('attached.txt', 'x', on, files.writer);
      const link = await linkTo(doc.name, files.reader);
      assert.equal((await files.get(link)).text, 'x');
      const roles = async (...names: string[]) => {
        const body = { roles: names.map((role) => ({ role })) };
        const reply = await files.site.request('PUT', '/api/resource/User/reader@example.com', { body });
        assert.equal(reply.status, 200, reply.text);
      };
      await roles();
      await assertClosed(link);
      await roles('Note Reader');
      assert.equal((await files.get(link)).text, 'x');
      const enable = (enabled: number) =>
        files.site.request('PUT', '/api/resource/User/reader@example.com', { body: { enabled } });
      await enable(0);
      await assertClosed(link);
      await enable(1);
      assert.equal((await files.get(link)).text, 'x');
    });

    test('a limited key makes none', async () => {
      const doc = await files.stored('limited.txt', 'x', { is_private: '1' }, files.writer);
      const body = { user: 'writer@example.com', methods: ['chancery.file_link'] };
      const made = await files.site.request('POST', '/api/method/chancery.api_key.create', { body });
      const { api_key, api_secret } = made.body.message;
      assertEnvelope(await ask(doc.name, `token ${api_key}:${api_secret}`), 403, 'PermissionError');
    });
  });
}
