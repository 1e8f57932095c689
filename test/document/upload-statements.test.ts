/** What an upload asks of the database. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import type { Statement } from '../../src/db/sql.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { createFile, type FileSite, receiveContent, uploadFile } from '../../src/file/upload-file.ts';
import { describeSite } from '../support/describe-site.ts';
import { fileSite } from '../support/files.ts';
import { notedDatabase } from '../support/noted-database.ts';

describeSite('statements of an upload', fileSite(), (files) => {
  test('it reads nothing back that it has just written', async () => {
    const { site } = files;
    const sent: Statement[] = [];
    const noted: FileSite = Object.create(site, { database: { value: notedDatabase(site.database, sent) } });
    const content = await receiveContent(noted, randomBytes(100));
    const upload = { content, fileName: 'a.bin', fields: new Map<string, string>() };
    const file = await uploadFile(noted, upload, (work) => unitOfWork(noted, ADMINISTRATOR, work));
    assert.equal(file['file_size'], 100);
    const about = sent.map(({ text }) => text).filter((text) => /"File"|_stored_(?:file|content)/.test(text));
    assert.deepEqual(
      about.map((text) => /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase()),
      ['insert', 'insert', 'insert'],
      about.join('\n'),
    );
  });

  test('a second File of the same url in the same transaction asks for the right', async () => {
    const { site } = files;
    const sent: Statement[] = [];
    const noted: FileSite = Object.create(site, { database: { value: notedDatabase(site.database, sent) } });
    const content = await receiveContent(noted, randomBytes(100));
    const [first, second] = await unitOfWork(noted, ADMINISTRATOR, async (ctx) => {
      const made = await createFile(ctx, content, 'b.bin', new Map());
      sent.length = 0;
      const url = new Map([['file_url', String(made['file_url'])]]);
      return [made, await createFile(ctx, null, 'b.bin', url)] as const;
    });
    assert.equal(second['content_hash'], first['content_hash']);
    assert.ok(sent.some(({ text }) => /^select\b.*from "File"/s.test(text.trim())));
    await files.assertSound();
  });
});
