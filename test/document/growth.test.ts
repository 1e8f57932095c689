/**
 * Statements and rows instead of time: a verb on one document or one page costs the same however many documents
 * there are, and a change of one field the same however many rows the document has.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Statement } from '../../src/db/sql.ts';
import { Handle } from '../../src/db/sqlite/handle.ts';
import { inline } from '../../src/db/sqlite/meter.ts';
import type { Document } from '../../src/doctype/doctype.ts';
import type { Change } from '../../src/document/change.ts';
import { readContext } from '../../src/document/context.ts';
import type { Context, Site } from '../../src/document/contract.ts';
import { rowsOf } from '../../src/document/document.ts';
import { listDocuments, listDocumentsText } from '../../src/document/list/list.ts';
import { listPage } from '../../src/document/list/list-page.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { describeEngines, useStarted } from '../support/describe-site.ts';
import { insertNotes, NOTE } from '../support/many-notes.ts';
import { openMemorySite, STAFF } from '../support/memory-site.ts';
import { notedDatabase } from '../support/noted-database.ts';

const DOCTYPES = [
  NOTE,
  { name: 'Part', istable: 1, fields: [{ fieldname: 'label', fieldtype: 'Data' }] },
  {
    name: 'Machine',
    autoname: 'hash',
    fields: [
      { fieldname: 'title', fieldtype: 'Data' },
      { fieldname: 'parts', fieldtype: 'Table', options: 'Part' },
    ],
  },
];
const SIZES = [100, 10_000] as const;
/** Rows that SQLite may read for one statement on one page of 20: twice as many, and the sample of the meter. */
const PAGE_ROWS = 50;

const open = { state: 'Open' };
const READS: Readonly<Record<string, (ctx: Context) => Promise<unknown>>> = {
  get: (ctx) => readDocument(ctx, 'Note', 'n50'),
  list: (ctx) => listDocumentsText(ctx, 'Note', {}),
  'list in another order': (ctx) =>
    listDocuments(ctx, 'Note', { order_by: 'creation asc', fields: ['place'] }),
  filter: (ctx) => listDocumentsText(ctx, 'Note', { filters: open }),
  'page by cursor': async (ctx) => {
    const { cursor } = await listPage(ctx, 'Note', { filters: open, limit: 20 });
    await listPage(ctx, 'Note', { filters: open, limit: 20, after: cursor });
  },
};
const WRITES: Readonly<Record<string, (ctx: Context) => Promise<unknown>>> = {
  create: (ctx) => createDocument(ctx, 'Note', { state: 'Done', place: -1 }),
  update: (ctx) => updateDocument(ctx, 'Note', 'n51', { state: 'Open' }),
  delete: (ctx) => deleteDocument(ctx, 'Note', 'n52', {}),
};

describeEngines('growth', (engine) => {
  const started = useStarted(() => openMemorySite(engine, { doctypes: DOCTYPES }));
  const sent: Statement[] = [];
  const site: () => Site = () =>
    Object.create(started, { database: { value: notedDatabase(started.database, sent) } });

  async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
    sent.length = 0;
    await work();
    return [...sent];
  }

  const read = (work: (ctx: Context) => Promise<unknown>) =>
    statementsOf(() => work(readContext(site(), STAFF)));
  const write = (work: (ctx: Context) => Promise<unknown>) =>
    statementsOf(() => unitOfWork(site(), STAFF, work));

  /** Fails when SQLite reads more rows for a statement. */
  async function assertRows(statements: readonly Statement[], most: number): Promise<void> {
    const [file] = await started.database.reader.all({ text: 'pragma database_list', values: [] });
    const handle = Handle.open(String(file?.['file']), 'reader', {
      ...inline(most),
      millis: Number.POSITIVE_INFINITY,
    });
    try {
      for (const statement of statements) handle.all(statement);
    } finally {
      handle.close();
    }
  }

  test('a verb sends as many statements to many documents as to few, and reads no more rows', async () => {
    const counts: Record<string, number>[] = [];
    let there = 0;
    for (const size of SIZES) {
      await insertNotes(started.database, there, size);
      there = size;
      const count: Record<string, number> = {};
      for (const [verb, work] of Object.entries(READS)) {
        const statements = await read(work);
        count[verb] = statements.length;
        if (engine === 'sqlite') await assertRows(statements, PAGE_ROWS);
      }
      for (const [verb, work] of Object.entries(WRITES)) {
        count[verb] = (await write(work)).length;
        if (verb === 'delete') await insertNotes(started.database, 52, 53);
      }
      counts.push(count);
    }
    assert.deepEqual(counts[0], counts[1]);
    assert.equal(counts[0]?.['get'], 1);
    if (engine === 'sqlite') {
      const scan = await read((ctx) => listDocuments(ctx, 'Note', { filters: { place: 0 } }));
      await assert.rejects(assertRows(scan, PAGE_ROWS), 'the rows of a scan are not counted');
    }
  });

  test('a change of one field sends as many statements beside many rows as beside few, and none to rows', async () => {
    const counts: number[] = [];
    for (const size of [10, 1_000]) {
      const parts = Array.from({ length: size }, (_, at) => ({ label: `part ${at}` }));
      const { name } = await started.run((ctx) => createDocument(ctx, 'Machine', { title: 'a', parts }));
      const statements = await write((ctx) => updateDocument(ctx, 'Machine', name, { title: 'b' }));
      const touching = statements.filter(({ text }) => /^\s*(?:insert|update|delete)\b.*"Part"/i.test(text));
      assert.deepEqual(touching, []);
      counts.push(statements.length);
    }
    assert.equal(counts[0], counts[1]);
  });

  for (const [hook, isShared] of [
    ['onUpdate', true],
    ['validate', false],
  ] as const) {
    test(`rows that a hook changes in ${hook}, and the events of the save`, async () => {
      const { name } = await started.run((ctx) =>
        createDocument(ctx, 'Machine', { title: 'a', parts: [{ label: 'stored' }] }),
      );
      const labelOf = (doc: Document | null | undefined) => rowsOf(doc as Document, 'parts')[0]?.['label'];
      started.controllers.set('Machine', [
        {
          [hook]: (doc: Document, _: Context, { before }: Change) => {
            Object.assign(rowsOf(doc, 'parts')[0] ?? {}, { label: 'hooked' });
            assert.equal(labelOf(before), 'stored');
            if (before && isShared) rowsOf(before, 'parts').pop();
          },
        },
      ]);
      try {
        await started.run(async (ctx) => {
          assert.equal(labelOf(await updateDocument(ctx, 'Machine', name, { title: 'b' })), 'hooked');
          const event = ctx.events.find((one) => one.name === 'on_update');
          assert.equal(labelOf(event?.before), 'stored');
          assert.equal(labelOf(event?.doc), isShared ? 'stored' : 'hooked');
          // Shared rows need no comparison.
          assert.equal(event?.doc['parts'] === event?.before?.['parts'], isShared);
        });
      } finally {
        started.controllers.delete('Machine');
      }
    });
  }

  test('a change of one row writes that row alone, and one of the document puts rows in their place', async () => {
    const parts = Array.from({ length: 1_000 }, (_, at) => ({ label: `part ${at}` }));
    const made = await started.run((ctx) => createDocument(ctx, 'Machine', { title: 'a', parts }));
    const rows = made['parts'] as unknown as { name: string; label: string }[];
    const changed = rows.map((row, at) => (at === 5 ? { ...row, label: 'new' } : row));
    const statements = await write((ctx) => updateDocument(ctx, 'Machine', made.name, { parts: changed }));
    const touching = statements.filter(({ text }) => /^\s*(?:insert|delete)\b.*"Part"/i.test(text));
    assert.deepEqual(
      touching.map(({ values }) => values.includes(rows[5]?.name ?? null)),
      [true, true],
    );
    await started.database.transaction((connection) =>
      connection.run({ text: `update "Part" set "idx" = 1001 where "label" = 'part 0'`, values: [] }),
    );
    const placed = await started.run((ctx) => updateDocument(ctx, 'Machine', made.name, { title: 'b' }));
    const places = (placed['parts'] as unknown as { idx: number; label: string }[]).map(({ idx }) => idx);
    assert.deepEqual(
      places,
      Array.from({ length: 1_000 }, (_, at) => at + 1),
    );
  });
});
