/** What uploads are held against: sizes, kinds, numbers, and whose they are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite } from '../support/files.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const SETTINGS = '/api/resource/System%20Settings/System%20Settings';
const PROGRAM = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]);

describeEither('limits of uploads', fileSite(), (files) => {
  async function withSettings(settings: Record<string, unknown>, work: () => Promise<void>): Promise<void> {
    const save = async (body: Record<string, unknown>) => {
      await files.ok('PUT', SETTINGS, { body });
    };
    await save(settings);
    try {
      await work();
    } finally {
      await save(Object.fromEntries(Object.keys(settings).map((name) => [name, null])));
    }
  }

  function asGuest(name: string, content: string | Uint8Array<ArrayBuffer>, fields = {}): Promise<TestReply> {
    const form = new FormData();
    for (const [key, value] of Object.entries(fields)) form.set(key, String(value));
    form.set('file', new Blob([content]), name);
    return files.request('POST', '/api/method/upload_file', { body: form, as: null });
  }

  test('only extensions that the site lets in, whatever the case, by every door', async () => {
    await withSettings({ allowed_file_extensions: 'pdf\n.TXT' }, async () => {
      await files.stored('a.PDF', 'x');
      await files.stored('b.txt', 'x');
      const before = await files.keys();
      for (const name of ['c.exe', 'pdf', 'd', 'e.pdf.html']) {
        assertEnvelope(await files.upload(name, 'x'), 'FileTypeNotAllowed');
      }
      const body = { file_name: 'f.svg', content: 'x' };
      assertEnvelope(await files.request('POST', '/api/resource/File', { body }), 'FileTypeNotAllowed');
      const kept = await files.stored('g.txt', 'kept');
      const renamed = { body: { file_name: 'g.html' } };
      assertEnvelope(await files.request('PUT', file(kept.name), renamed), 'FileTypeNotAllowed');
      assert.equal(await files.keys(), before + 1);
    });
    await files.stored('free.exe', 'x');
  });

  test('where kinds are limited, bytes count and not their name', async () => {
    const png = await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    await withSettings({ allowed_file_extensions: 'PNG\nDOCX\nTXT' }, async () => {
      await files.stored('real.png', png);
      await files.stored('text.txt', '<?xml version="1.0"?><a/>');
      await files.stored('word.docx', Buffer.from('PK\x03\x04 as every zip', 'latin1'));
      assertEnvelope(await files.upload('program.png', PROGRAM), 'FileTypeNotAllowed');
      assertEnvelope(await files.upload('paper.txt', '%PDF-1.7 something'), 'FileTypeNotAllowed');
    });
    await files.stored('program.png', PROGRAM);
  });

  test('a user has so many bytes, also when all come at once', async () => {
    const user = await files.createUser('full@example.com', ['Desk User']);
    await withSettings({ user_file_quota: 1 }, async () => {
      const content = Buffer.alloc(150_000);
      const sent = Array.from({ length: 10 }, (_, index) => files.upload(`${index}.bin`, content, {}, user));
      const replies = await Promise.all(sent);
      const refused = replies.filter(({ status }) => status !== 200);
      assert.equal(refused.length, 4, '6 times 150,000 bytes are less than a megabyte');
      for (const reply of refused) assertEnvelope(reply, 'FileQuotaExceeded');
      const again = { file_name: 'b.bin', content: 'x'.repeat(150_000) };
      const byRest = await files.request('POST', '/api/resource/File', { body: again, as: user });
      assertEnvelope(byRest, 'FileQuotaExceeded');
      const first = replies.find(({ status }) => status === 200)?.body.message;
      await files.ok('DELETE', file(first.name), { as: user });
      await files.stored('fits.bin', content, {}, user);
      await files.stored('of-another.bin', content, {}, 'writer');
    });
  });

  test('a document has so many files, also when all come at once', async () => {
    const name = await files.create('Case', { subject: 'one' });
    const on = { doctype: 'Case', docname: name };
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => files.upload(`${index}.txt`, 'x', on)),
    );
    const refused = replies.filter(({ status }) => status !== 200);
    assert.equal(refused.length, 6);
    for (const reply of refused) assertEnvelope(reply, 'AttachmentLimitReached');
  });

  test('Guests upload where the site wants it, and what is harmless', async () => {
    assertEnvelope(await asGuest('a.txt', 'x'), 'PermissionError');
    await withSettings({ allow_guests_to_upload_files: 1 }, async () => {
      const { body, status, text } = await asGuest('a.txt', 'x', { is_private: 1 });
      assert.equal(status, 200, text);
      assert.equal(body.message.owner, 'Guest');
      assertEnvelope(await files.get(body.message.file_url), 'PermissionError');
      assertEnvelope(await files.request('DELETE', file(body.message.name), { as: null }), 'PermissionError');
      for (const name of ['a.html', 'a.svg', 'a.exe', 'a']) {
        assertEnvelope(await asGuest(name, 'x'), 'FileTypeNotAllowed');
      }
      assertEnvelope(await asGuest('a.pdf', PROGRAM), 'FileTypeNotAllowed');
      const note = await files.create('Note', {});
      const on = { doctype: 'Note', docname: note };
      assertEnvelope(await asGuest('a.txt', 'x', on), 'PermissionError');
      // Guests may do nothing else with files.
      const made = { body: { file_name: 'b.txt', content: 'x' }, as: null };
      assertEnvelope(await files.request('POST', '/api/resource/File', made), 'PermissionError');
      const linked = { body: { file_url: body.message.file_url }, as: null };
      assertEnvelope(await files.request('POST', '/api/method/upload_file', linked), 'PermissionError');
    });
    // An upload has the rights of every signed-in user, but Guests read no private file by them.
    const permissions = ['System Manager', 'All'].map((role) => ({ role, read: 1, write: 1, create: 1 }));
    const fields = [{ fieldname: 'title', fieldtype: 'Data' }];
    await files.make('DocType', { name: 'Board', module: 'Notes', custom: 1, fields, permissions });
    const { name: docname } = await files.make('Board', { title: 'For all users' });
    const on = { doctype: 'Board', docname, is_private: '1' };
    const { file_url } = (await files.upload('of-users.txt', 'x', on)).body.message;
    await withSettings({ allow_guests_to_upload_files: 1 }, async () => {
      const linked = { body: { file_url }, as: null };
      assertEnvelope(await files.request('POST', '/api/method/upload_file', linked), 'PermissionError');
    });
    const named = { allow_guests_to_upload_files: 1, allowed_doctypes_for_guest_uploads: 'Note' };
    await withSettings(named, async () => {
      assertEnvelope(await asGuest('a.txt', 'x'), 'PermissionError');
      assertEnvelope(await asGuest('a.txt', 'x', { doctype: 'Case', docname: 'x' }), 'PermissionError');
    });
    assertEnvelope(await asGuest('a.txt', 'x'), 'PermissionError');
  });

  test('users without access to the desk send what Guests may', async () => {
    await files.stored('a.pdf', 'x', {}, 'visitor');
    assertEnvelope(await files.upload('a.html', 'x', {}, 'visitor'), 'FileTypeNotAllowed');
  });

  test('how large a file may be can be asked for by everybody', async () => {
    const path = '/api/method/frappe.core.api.file.get_max_file_size';
    assert.equal((await files.get(path)).body.message, 200_000);
    await withSettings({ max_file_size: 3 }, async () => {
      assert.equal((await files.get(path)).body.message, 3 * 1024 * 1024);
      assert.equal((await files.stored('larger.bin', Buffer.alloc(300_000))).file_size, 300_000);
    });
  });

  test('settings that make no sense are refused', async () => {
    for (const body of [{ user_file_quota: -2 }, { allowed_file_extensions: 'a/b' }]) {
      assertEnvelope(await files.request('PUT', SETTINGS, { body }), 'ValidationError');
    }
  });
});
