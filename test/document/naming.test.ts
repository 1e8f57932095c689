import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { listDocuments } from '../../src/document/list/list.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import type { ErrorType } from '../../src/kernel/errors.ts';
import { describeEither } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { memorySite } from '../support/memory-site.ts';

const TITLE = { fieldname: 'title', label: 'Title', fieldtype: 'Data' };
const SERIES = {
  fieldname: 'naming_series',
  label: 'Series',
  fieldtype: 'Select',
  options: 'A-\nB-.MM.-.##',
};
const named = (name: string, autoname: string) => ({ name, autoname, fields: [TITLE, SERIES] });

const DOCTYPES = [
  named('Hashed', 'hash'),
  named('Plain', ''),
  named('Prompted', 'Prompt'),
  named('Either', 'prompt_or_hash'),
  named('Unique', 'UUID'),
  named('Counted', 'autoincrement'),
  named('Titled', 'field:title'),
  named('Serial', 'naming_series:'),
  named('Dated', 'D-.YYYY.-.MM.-.DD.-.###'),
  named('Yearly', 'Y.YY.{title}.##'),
  named('Formatted', 'format:{title}/{YYYY}-{####}-end'),
  named('Weekly', 'format:W{WW}-{title}'),
];

describeEither('naming', memorySite({ doctypes: DOCTYPES }), (site) => {
  const create = async (doctype: string, fields: Record<string, unknown> = {}) =>
    (await site.run((ctx) => createDocument(ctx, doctype, fields))).name;
  const remove = (doctype: string, name: string) => site.run((ctx) => deleteDocument(ctx, doctype, name));

  test('hash names are ten characters; name in the body is passed over, __newname is taken', async () => {
    for (const doctype of ['Hashed', 'Plain']) {
      assert.match(await create(doctype, { name: 'mine' }), /^[0-9a-v]{10}$/);
      assert.equal(await create(doctype, { __newname: 'mine' }), 'mine');
    }
  });

  test('a hash that is taken is made again', async () => {
    const hashes = ['samesamesa', 'samesamesa', 'otherother'];
    const { random } = site;
    const fixed = { ...random, hash: (length: number) => hashes.shift() ?? random.hash(length) };
    Object.assign(site, { random: fixed });
    try {
      assert.equal(await create('Hashed'), 'samesamesa');
      assert.equal(await create('Hashed'), 'otherother');
    } finally {
      Object.assign(site, { random });
    }
  });

  test('Prompt needs a name, prompt_or_hash takes one', async () => {
    assert.equal(await create('Prompted', { name: 'Given' }), 'Given');
    assert.equal(await create('Prompted', { __newname: 'Given too' }), 'Given too');
    await refused(create('Prompted'), 'ValidationError', 'Please set the document name');
    assert.equal(await create('Either', { name: 'Chosen' }), 'Chosen');
    assert.match(await create('Either'), /^[0-9a-v]{10}$/);
  });

  test('names are trimmed and NFC; what cannot be a name is refused', async () => {
    assert.equal(await create('Prompted', { name: ' Cafe\u0301 ' }), 'Caf\u00e9');
    await refused(create('Prompted', { name: 'Caf\u00e9' }), 'DuplicateEntryError');
    assert.equal(await create('Prompted', { name: 'a/b #%?&✓ 😀' }), 'a/b #%?&✓ 😀');
    assert.equal(await create('Prompted', { name: '😀'.repeat(140) }), '😀'.repeat(140));
    const bad: [unknown, ErrorType][] = [
      ['x'.repeat(141), 'ValidationError'],
      ['   ', 'ValidationError'],
      ['a<b', 'NameError'],
      ['New Prompted 1', 'NameError'],
      ['Prompted', 'NameError'],
      ['a\u0000b', 'NameError'],
      ['a\nb', 'NameError'],
      ['a\u202eb', 'NameError'],
      ['\ud800', 'NameError'],
      ['.', 'NameError'],
      ['..', 'NameError'],
      ['a/../b', 'NameError'],
      [7, 'NameError'],
      [{ x: 1 }, 'NameError'],
    ];
    for (const [name, type] of bad) await refused(create('Prompted', { name }), type);
    await refused(create('Titled', { title: 'a\u0007' }), 'NameError');
  });

  test('uuid: version 7, or the one given', async () => {
    const uuid = await create('Unique');
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(
      await create('Unique', { name: 'A'.repeat(8) + uuid.slice(8) }),
      'a'.repeat(8) + uuid.slice(8),
    );
    await refused(create('Unique', { name: 'not one' }), 'NameError');
  });

  test('autoincrement counts; code has the text of the number, the table and lists the number', async () => {
    assert.deepEqual([await create('Counted'), await create('Counted')], ['1', '2']);
    const rows = await site.run((ctx) => listDocuments(ctx, 'Counted', { order_by: 'name asc' }));
    assert.deepEqual(rows, [{ name: 1 }, { name: 2 }]);
    const stored = await site.database.reader.all(sql`select "name" from "Counted" order by "name"`);
    assert.deepEqual(stored, rows);
  });

  test('field: is trimmed, required, and holds the name', async () => {
    assert.equal(await create('Titled', { title: '  One ' }), 'One');
    await refused(create('Titled', { title: ' ' }), 'ValidationError', 'Title is required');
  });

  test('a series counts for each prefix; other series may be given, nonsense not', async () => {
    assert.deepEqual([await create('Serial'), await create('Serial')], ['A-00001', 'A-00002']);
    assert.equal(await create('Serial', { naming_series: 'B-.MM.-.##' }), 'B-11-01');
    assert.equal(await create('Serial', { naming_series: 'C-.####' }), 'C-0001');
    await refused(create('Serial', { naming_series: 'C-"####' }), 'InvalidNamingSeriesError');
    await refused(create('Serial', { naming_series: 'C####' }), 'InvalidNamingSeriesError');
  });

  test('date parts and fields make prefixes, each with a counter of its own', async () => {
    assert.equal(await create('Dated'), 'D-2026-11-21-001');
    assert.equal(await create('Yearly', { title: 'x' }), 'Y26x01');
    assert.equal(await create('Yearly', { title: 'y' }), 'Y26y01');
    assert.equal(await create('Yearly', { title: 'x' }), 'Y26x02');
    assert.equal(await create('Formatted', { title: 'p' }), 'p/2026-0001-end');
    assert.equal(await create('Formatted', { title: 'q' }), 'q/2026-0001-end');
    assert.equal(await create('Weekly', { title: 'x' }), 'W47-x');
  });

  test('the last number of each kind of counter comes back when its document is deleted', async () => {
    const cases: [string, Record<string, unknown>][] = [
      ['Dated', {}],
      ['Yearly', { title: 'x' }],
      ['Formatted', { title: 'p' }],
      ['Serial', {}],
    ];
    for (const [doctype, fields] of cases) {
      const first = await create(doctype, fields);
      const last = await create(doctype, fields);
      await remove(doctype, first);
      await remove(doctype, last);
      assert.equal(await create(doctype, fields), last, doctype);
    }
  });

  test('numbers grow beyond their digits', async () => {
    await site.database.transaction((connection) =>
      connection.run({ text: `update "_series" set "current" = 99 where "key" = 'Y26y'`, values: [] }),
    );
    assert.equal(await create('Yearly', { title: 'y' }), 'Y26y100');
    await remove('Yearly', 'Y26y100');
    assert.equal(await create('Yearly', { title: 'y' }), 'Y26y100');
  });
});
