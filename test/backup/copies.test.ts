/** `chancery restore --only … --as-copy` brings documents of a backup back beside the live ones. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadSecret } from '../../src/access/secret.ts';
import { sql } from '../../src/db/sql.ts';
import { chancery, flagsOf, type Ran } from '../support/command.ts';
import { describeEither } from '../support/describe-site.ts';
import { servedText } from '../support/kept-files.ts';
import type { TestSite } from '../support/site.ts';

const GONE = { fieldname: 'gone', label: 'Gone', fieldtype: 'Attach' };
const LEGACY = { fieldname: 'legacy', label: 'Legacy', fieldtype: 'Data' };
const SIZE = { fieldname: 'size', label: 'Size', fieldtype: 'Int' };
const LINE = {
  name: 'Ticket Line',
  istable: 1,
  fields: [{ fieldname: 'text', label: 'Text', fieldtype: 'Data' }, SIZE],
};
const TICKET = {
  name: 'Ticket',
  autoname: 'TICK-.#####',
  is_submittable: 1,
  fields: [
    { fieldname: 'title', label: 'Title', fieldtype: 'Data', reqd: 1 },
    { fieldname: 'scan', label: 'Scan', fieldtype: 'Attach' },
    { fieldname: 'token', label: 'Token', fieldtype: 'Password' },
    { fieldname: 'lines', label: 'Lines', fieldtype: 'Table', options: 'Ticket Line' },
    LEGACY,
    GONE,
  ],
};
const TOPIC = {
  name: 'Topic',
  autoname: 'field:title',
  fields: [
    { fieldname: 'title', label: 'Title', fieldtype: 'Data' },
    { fieldname: 'ticket', label: 'Ticket', fieldtype: 'Link', options: 'Ticket' },
  ],
};

const without = <T extends { fieldname: string }>(fields: readonly T[], ...gone: { fieldname: string }[]) =>
  fields.filter(({ fieldname }) => !gone.some((one) => one.fieldname === fieldname));

describeEither('copies of documents', { doctypes: [LINE, TICKET, TOPIC] }, (site, engine) => {
  let root: string;
  const [KEPT, DELETED, LAST] = ['TICK-00001', 'TICK-00002', 'TICK-00003'];

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'chancery-copies-'));
    for (const title of ['kept', 'deleted', 'last']) await makeTicket(site, title);
    await site.did('PUT', `Ticket/${KEPT}`, { docstatus: 1 });
    const { file_url: gone } = await site.make('File', {
      file_name: 'gone.txt',
      content: 'gone',
      is_private: 1,
    });
    await site.did('PUT', `Ticket/${LAST}`, { gone });
    await site.make('Topic', { title: 'Free' });
    await site.make('Topic', { title: 'Bound', ticket: DELETED });
    const made = await chancery(root, [
      'backup',
      ...flagsOf(site.site.config),
      '--to',
      join(root, 'backups'),
    ]);
    assert.equal(made.code, 0, made.stderr);
    await site.did('PUT', 'Topic/Bound', { ticket: null });
    await site.did('DELETE', `Ticket/${DELETED}`);
    await site.did('PUT', 'DocType/Ticket%20Line', { fields: without(LINE.fields, SIZE) });
    await site.did('PUT', 'DocType/Ticket', { fields: without(TICKET.fields, LEGACY, GONE) });
  });
  after(() => rm(root, { recursive: true, force: true }));

  const restore = (words: readonly string[], from = 'backups'): Promise<Ran> =>
    chancery(root, ['restore', ...flagsOf(site.site.config), '--from', join(root, from), ...words]);

  /** Runs it; nothing may stay in the scratch place. */
  async function bring(only: string, code: number, from?: string): Promise<string> {
    const ran = await restore(['--only', only, '--as-copy'], from);
    assert.equal(ran.code, code, ran.stdout + ran.stderr);
    await noScratch();
    return ran.stdout + ran.stderr;
  }

  async function noScratch(): Promise<void> {
    if (engine === 'sqlite') return assert.ok(!existsSync(join(site.site.config.data, 'copies')));
    const { reader } = site.site.database;
    const found = await reader.all(sql`select nspname from pg_namespace where nspname like '%\\_copies'`);
    assert.deepEqual(found, []);
  }

  // What does not depend on the engine.
  const onSqlite = engine === 'sqlite' ? test : () => {};

  const countOf = async (doctype: string) =>
    (await site.did('GET', `${encodeURIComponent(doctype)}?limit_page_length=0`)).length;

  test('only copies can be brought back, and only of documents', async () => {
    const refused: readonly [readonly string[], number, RegExp][] = [
      [['--only', 'Ticket'], 2, /^--only needs --as-copy: only copies can be brought back/],
      [['--as-copy'], 2, /^--as-copy needs --only/],
      [['--only', '/x', '--as-copy'], 2, /^--only needs a doctype/],
      [['--only', 'Tikket', '--as-copy'], 1, /Tikket not found/],
      [['--only', 'Ticket/TICK-09999', '--as-copy'], 1, /^The backup has no Ticket TICK-09999/],
      [['--only', 'Ticket Line', '--as-copy'], 1, /come back with the documents/],
      [['--only', 'System Settings', '--as-copy'], 1, /is a single/],
      [['--only', 'File', '--as-copy'], 1, /Files come back with/],
    ];
    for (const [words, code, message] of refused) {
      const ran = await restore(words);
      assert.equal(ran.code, code, ran.stderr);
      assert.match(ran.stderr, message);
      await noScratch();
    }
  });

  onSqlite('a dry run lists what would come, and changes nothing', async () => {
    const before = await countOf('Ticket');
    const ran = await restore(['--only', 'Ticket', '--as-copy', '--dry-run']);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /TICK-00001: there is such a document, so it gets a new name; files: 2\n/);
    assert.match(ran.stdout, /TICK-00002: the name is free; files: 2\n/);
    assert.match(ran.stdout, /Nothing was changed\. Documents that would come: 3\./);
    assert.equal(await countOf('Ticket'), before);
    await noScratch();
  });

  test('a document comes with its rows, files and password, and the live one stays', async () => {
    const told = await bring(`Ticket/${KEPT}`, 0);
    assert.match(told, /\nTICK-00001 → TICK-00004, a draft \(it was submitted\)\n/);
    assert.match(told, /no longer has these fields: legacy, lines\.size\./);
    const [live, copied] = [await site.did('GET', `Ticket/${KEPT}`), await read('TICK-00004', 'kept')];
    assert.equal(live.docstatus, 1);
    assert.equal(copied.docstatus, 0);
    assert.equal(copied.owner, 'Administrator');
    assert.notEqual(copied.scan, live.scan);
    assert.ok(!('legacy' in copied) && !('size' in copied.lines[0]));
  });

  test('a deleted document comes back under its name', async () => {
    assert.match(await bring(`Ticket/${DELETED}`, 0), /\nTICK-00002 → TICK-00002\n/);
    await read(DELETED, 'deleted');
    await site.did('DELETE', `Ticket/${DELETED}`);
  });

  test('each document of a doctype comes on its own, and the reason of a failure is told', async () => {
    const today = String((await site.make('Topic', { title: 'Now' })).creation).slice(0, 10);
    const hook = { webhook_docevent: 'after_insert', request_url: 'http://127.0.0.1:9/' };
    const { name: webhook } = await site.make('Webhook', { ...hook, webhook_doctype: 'Topic' });
    const told = await bring('Topic', 1);
    const filters = encodeURIComponent(JSON.stringify({ webhook }));
    assert.equal((await site.did('GET', `Webhook%20Request%20Log?filters=${filters}`)).length, 1);
    assert.ok(told.includes(`\nFree → Free (restored ${today})\n`), told);
    assert.match(told, /\nBound: not created\. .*TICK-00002/);
    assert.match(told, /came back: 1\.\nDocuments that did not come back, or not with all files: 1\./);
    assert.equal((await site.did('GET', `Topic/Free (restored ${today})`)).title, `Free (restored ${today})`);
  });

  onSqlite('documents whose names are free come first, before others get new names', async () => {
    for (const name of ['TICK-00004', LAST]) await site.did('DELETE', `Ticket/${name}`);
    const told = await bring('Ticket', 1);
    assert.match(
      told,
      /TICK-00002 → TICK-00002\nTICK-00003 → TICK-00003, without the file gone\.txt: its field gone is gone\nTICK-00001 → TICK-00004, a draft/,
    );
    await read(LAST, 'last');
    const again = await bring('Topic/Free', 0);
    assert.match(again, /Free → Free \(restored [\d-]+, 2\)\n/);
  });

  onSqlite('a document whose file the backup has lost comes without it', async () => {
    await cp(join(root, 'backups'), join(root, 'holes'), { recursive: true });
    for (const entry of await readdir(join(root, 'holes', 'files'), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) await rm(join(entry.parentPath, entry.name));
    const told = await bring(`Ticket/${KEPT}`, 1, 'holes');
    assert.match(told, /→ TICK-\d+, a draft.*, without the file scan of kept\.txt: the backup does not have/);
    const name = /→ (TICK-\d+)/.exec(told)?.[1];
    assert.equal((await site.did('GET', `Ticket/${name}`)).scan ?? '', '');
  });

  /** Reads a copy, and checks all that belongs to it. */
  async function read(name: string, title: string) {
    const doc = await site.did('GET', `Ticket/${name}`);
    assert.equal(doc.title, title);
    assert.deepEqual(
      doc.lines.map((row: { idx: number; text: string }) => [row.idx, row.text]),
      [
        [1, 'one'],
        [2, 'two'],
      ],
    );
    const { database } = site.site;
    assert.equal(await loadSecret(site.site, database.reader, 'Ticket', name, 'token'), `token of ${title}`);
    const files = await database.reader.all(
      sql`select "file_url", "is_private", "attached_to_field" from "File"
        where "attached_to_doctype" = 'Ticket' and "attached_to_name" = ${name} order by "attached_to_field" desc`,
    );
    const fields = files.map((file) => file['attached_to_field']).sort();
    assert.deepEqual(fields.filter(Boolean), ['scan']);
    const texts = await Promise.all(files.map((file) => servedText(site.site, file['file_url'])));
    assert.deepEqual(texts.sort(), [`note of ${title}`, `scan of ${title}`]);
    assert.equal(await servedText(site.site, doc.scan), `scan of ${title}`);
    assert.ok(files.every((file) => file['is_private'] === 1));
    return doc;
  }
});

async function makeTicket(site: TestSite, title: string): Promise<void> {
  const file = (what: string, rest: object) =>
    site.make('File', {
      file_name: `${what} of ${title}.txt`,
      content: `${what} of ${title}`,
      is_private: 1,
      ...rest,
    });
  const { file_url: scan } = await file('scan', {});
  const lines = [
    { text: 'one', size: 1 },
    { text: 'two', size: 2 },
  ];
  const fields = { title, scan, lines, token: `token of ${title}`, legacy: 'former' };
  const { name } = await site.make('Ticket', fields);
  await file('note', { attached_to_doctype: 'Ticket', attached_to_name: name });
}
