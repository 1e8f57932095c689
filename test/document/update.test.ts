import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { rowsOf } from '../../src/document/document.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { readDocument, readDocumentWithRevision } from '../../src/document/verbs/read.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { describeEither } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { memorySite, OUTSIDER, STAFF } from '../support/memory-site.ts';
import { DOCTYPES } from './doctypes.ts';

type Item = { name: string; item: string; qty: number; idx: number; modified: string; remark: string | null };

describeEither('update', memorySite({ doctypes: DOCTYPES }), (site) => {
  let name: string;
  before(async () => {
    await site.run((ctx) => createDocument(ctx, 'Customer', { customer_name: 'Acme' }));
  });
  beforeEach(async () => {
    const made = await create('Invoice', {
      customer: 'Acme',
      code: 'C1',
      note: 'first',
      items: [{ item: 'A', qty: 2, remark: 'keep?' }, { item: 'B' }],
    });
    name = made.name;
  });

  const create = (doctype: string, fields: Record<string, unknown>) =>
    site.run((ctx) => createDocument(ctx, doctype, fields));
  const update = (fields: Record<string, unknown>, ifMatch?: number, user = STAFF) =>
    site.run((ctx) => updateDocument(ctx, 'Invoice', name, fields, { ifMatch }), user);
  const read = () => site.run((ctx) => readDocumentWithRevision(ctx, 'Invoice', name));
  const items = (doc: Record<string, unknown>) => doc['items'] as Item[];

  test('only what was sent changes; modified and revision always move', async () => {
    const was = await read();
    const shown = await update({ note: 'second' });
    const now = await read();
    assert.deepEqual(now.doc, shown);
    assert.deepEqual({ ...now.doc, modified: 0, note: 0 }, { ...was.doc, modified: 0, note: 0 });
    assert.equal(now.doc['note'], 'second');
    assert.ok(now.doc.modified > was.doc.modified);
    assert.equal(now.revision, was.revision + 1);
    await update({});
    assert.equal((await read()).revision, was.revision + 2);
  });

  test('null and "" unset a field; a default does not come back', async () => {
    const doc = await update({ due: null, note: '', total: null });
    assert.deepEqual([doc['due'], doc['note'], doc['total']], [null, '', 0]);
  });

  test('a stale modified is refused at the precision it was sent with', async () => {
    const { doc } = await read();
    await update({ note: 'a', modified: doc.modified });
    await refused(
      update({ note: 'b', modified: doc.modified }),
      'TimestampMismatchError',
      /has been modified/,
    );
    await refused(update({ note: 'b', modified: doc.modified.slice(0, 19) }), 'TimestampMismatchError');
    const { doc: fresh } = await read();
    await update({ note: 'c', modified: fresh.modified.slice(0, 19) });
    await refused(update({ modified: 'yesterday' }), 'TimestampMismatchError');
    await refused(update({ modified: { toString: 1 } }), 'ValidationError');
    await update({ note: 'd', modified: '' });
  });

  test('ifMatch is exact', async () => {
    const { revision } = await read();
    await refused(update({ note: 'x' }, revision - 1), 'PreconditionFailedError');
    await update({ note: 'x' }, revision);
    await refused(update({ note: 'y' }, revision), 'PreconditionFailedError');
  });

  test('owner and creation may be repeated but not changed; set_only_once neither', async () => {
    const { doc } = await read();
    await update({ owner: doc.owner, creation: doc.creation.slice(0, 19), code: 'C1' });
    await refused(update({ owner: 'someone' }), 'CannotChangeConstantError', /Owner/);
    await refused(update({ creation: '2001-01-01 00:00:00' }), 'CannotChangeConstantError');
    await refused(update({ code: 'C2' }), 'CannotChangeConstantError', 'Value cannot be changed for Code');
  });

  test('another name is refused, the same one is not', async () => {
    await update({ name });
    await refused(update({ name: 'INV-99999' }), 'ValidationError', /rename/);
  });

  test('missing: 404 for those with the right, 403 without it', async () => {
    const absent = (user = STAFF) => site.run((ctx) => updateDocument(ctx, 'Invoice', 'INV-99999', {}), user);
    await refused(absent(), 'DoesNotExistError', 'Invoice INV-99999 not found');
    await refused(absent(OUTSIDER), 'PermissionError');
    await refused(update({ note: 'x' }, undefined, OUTSIDER), 'PermissionError');
  });

  test('a sent table replaces all rows: known rows keep their name, omitted fields take defaults', async () => {
    const [a, b] = items((await read()).doc);
    const doc = await update({
      items: [{ name: b?.name, item: 'B2' }, { item: 'C' }, { name: a?.name, item: 'A' }],
    });
    assert.deepEqual(doc, (await read()).doc);
    assert.deepEqual(
      items(doc).map((row) => [row.item, row.idx, row.qty, row.remark]),
      [
        ['B2', 1, 1, null],
        ['C', 2, 1, null],
        ['A', 3, 1, null],
      ],
    );
    assert.equal(items(doc)[0]?.name, b?.name);
    assert.equal(items(doc)[2]?.name, a?.name);
    const names = new Set(items(doc).map((row) => row.name));
    assert.equal(names.size, 3);
  });

  test('null empties a field of a row that is there, and is "not given" in a new one', async () => {
    const [was] = items((await read()).doc);
    const rows = [
      { name: was?.name, item: 'A', qty: null },
      { item: 'B', qty: null },
    ];
    const doc = await update({ items: rows });
    assert.deepEqual(
      items(doc).map((row) => row.qty),
      [0, 1],
    );
    assert.deepEqual(doc, (await read()).doc);
  });

  test('rows that did not change keep their modified', async () => {
    const was = items((await read()).doc);
    const doc = await update({
      items: [
        { name: was[0]?.name, item: 'A', qty: 2, remark: 'keep?' },
        { name: was[1]?.name, item: 'B', qty: 9 },
      ],
    });
    assert.equal(items(doc)[0]?.modified, was[0]?.modified);
    assert.equal(items(doc)[1]?.modified, doc.modified);
    assert.deepEqual(doc, (await read()).doc);
  });

  test('a row of another document is never taken; unknown and repeated names are new rows', async () => {
    const other = await create('Invoice', { customer: 'Acme', items: [{ item: 'theirs' }] });
    const theirs = items(other)[0];
    const mine = items((await read()).doc)[0];
    const doc = await update({
      items: [
        { name: theirs?.name, item: 'x' },
        { name: 'unknown', item: 'y' },
        { name: mine?.name, item: 'z' },
        { name: mine?.name, item: 'again' },
      ],
    });
    const names = items(doc).map((row) => row.name);
    assert.equal(new Set(names).size, 4);
    assert.equal(names.includes(theirs?.name ?? ''), false);
    assert.equal(names[2], mine?.name);
    const untouched = await site.run((ctx) => readDocument(ctx, 'Invoice', other.name));
    assert.deepEqual(untouched, other);
  });

  test('ten thousand rows are written, replaced and read', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({ item: `item ${index}` }));
    const doc = await update({ items: many });
    assert.equal(items(doc).length, 10_000);
    const kept = items(doc).map((row, index) =>
      index % 2 ? { name: row.name, item: row.item } : { item: 'new' },
    );
    await update({ items: kept });
    const { doc: now } = await read();
    assert.deepEqual(
      items(now).map((row) => row.idx),
      kept.map((_, index) => index + 1),
    );
    assert.equal(items(now)[9_999]?.name, items(doc)[9_999]?.name);
    await refused(
      update({ items: Array.from({ length: 50_001 }, () => ({ item: 'x' })) }),
      'ValidationError',
      /50000 rows/,
    );
  });

  test('links that this change does not touch are not looked up again', async () => {
    await create('Customer', { customer_name: 'Gone' });
    await update({ customer: 'Gone' });
    await site.database.transaction((connection) =>
      connection.run({ text: `delete from "Customer" where "name" = 'Gone'`, values: [] }),
    );
    await update({ note: 'still saved' });
    await refused(update({ items: [{ item: 'A', ship_to: 'Gone' }] }), 'LinkValidationError');
    await update({ customer: 'Acme' });
  });

  test('fields above the level of the user keep what is stored', async () => {
    const admin = { ...STAFF, name: 'Administrator', isAdministrator: true };
    assert.equal((await update({ margin: 0.25 }, undefined, admin))['margin'], 0.25);
    assert.equal('margin' in (await update({ margin: 0.5 })), false);
    assert.equal((await update({}, undefined, admin))['margin'], 0.25);
  });

  test('a single is made by its first save and read by any name', async () => {
    const save = (fields: Record<string, unknown>) =>
      site.run((ctx) => updateDocument(ctx, 'Preferences', 'Preferences', fields));
    const get = (key: string) => site.run((ctx) => readDocumentWithRevision(ctx, 'Preferences', key));
    assert.deepEqual([(await get('Preferences')).doc['color'], (await get('x')).revision], ['blue', 0]);
    await save({ color: 'green' });
    assert.equal((await get('anything')).doc['color'], 'green');
    await save({ color: 'red' });
    assert.deepEqual([(await get('x')).doc['color'], (await get('x')).revision], ['red', 2]);
  });

  test('the field a document is named by follows the name', async () => {
    await create('Customer', { customer_name: 'Fixed' });
    const doc = await site.run((ctx) =>
      updateDocument(ctx, 'Customer', 'Fixed', { customer_name: 'Changed', email: 'f@x.y' }),
    );
    assert.deepEqual([doc['customer_name'], doc['email']], ['Fixed', 'f@x.y']);
    await refused(
      site.run((ctx) => updateDocument(ctx, 'Customer', 'Acme', { email: 'f@x.y' })),
      'UniqueValidationError',
      'Email must be unique',
    );
  });

  test('a change of the returned document is not a change of the event', async () => {
    const { name } = await create('Invoice', { customer: 'Acme', items: [{ item: 'A', qty: 1 }] });
    await site.run(async (ctx) => {
      const doc = await updateDocument(ctx, 'Invoice', name, { note: 'returned' });
      for (const row of rowsOf(doc, 'items')) row['qty'] = 99;
      for (const event of ctx.events) {
        for (const one of [event.doc, event.before ?? event.doc]) {
          assert.deepEqual(
            rowsOf(one, 'items').map((row) => row['qty']),
            [1],
          );
        }
      }
    });
  });
});
