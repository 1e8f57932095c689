import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Controller } from '../../src/document/contract.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { readDocument, readDocumentWithRevision } from '../../src/document/verbs/read.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { describeSite } from '../support/describe-site.ts';
import { memorySite } from '../support/memory-site.ts';
import { DOCTYPES } from './doctypes.ts';

// Without links, so that its number is the first thing a creation asks for.
const SLIP = {
  doctype: 'DocType',
  name: 'Slip',
  module: 'Test',
  autoname: 'SLIP-.#####',
  fields: [
    { fieldname: 'note', fieldtype: 'Data' },
    { fieldname: 'code', fieldtype: 'Data', unique: 1 },
  ],
};
const refusing: Controller = {
  async validate(doc) {
    await turn();
    if (doc['note'] === 'refuse') throw new ServiceError('ValidationError', 'refused');
  },
};
const SITE = memorySite({
  doctypes: [...DOCTYPES, SLIP],
  controllers: { Invoice: [refusing], Slip: [refusing] },
});

describeSite('parallel units', SITE, (site) => {
  before(async () => {
    await create('Customer', { customer_name: 'Acme' });
  });

  const create = (doctype: string, fields: Record<string, unknown>) =>
    site.run((ctx) => createDocument(ctx, doctype, fields));
  const invoice = (note: string) => create('Invoice', { customer: 'Acme', note, items: [{ item: 'A' }] });

  test('200 creations, a tenth refused: series names without a gap or a double, events of the rest', async () => {
    site.events.length = 0;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) => invoice(index % 10 === 3 ? 'refuse' : 'keep')),
    );
    const names = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.name] : []));
    assert.equal(names.length, 180);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.equal(outcome.reason.type, 'ValidationError');
    }
    const expected = Array.from({ length: 180 }, (_, index) => `INV-${String(index + 1).padStart(5, '0')}`);
    assert.deepEqual(names.toSorted(), expected);
    const inserted = site.events.filter((event) => event.startsWith('Invoice.after_insert'));
    assert.deepEqual(
      inserted.toSorted(),
      expected.map((name) => `Invoice.after_insert ${name}`),
    );
  });

  test('creations that share a series and fail in two ways leave no gap, and each hears its own error', async () => {
    await create('Slip', { code: 'taken' });
    const kinds = ['keep', 'keep', 'refuse', 'keep', 'taken'];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) => {
        const note = kinds[index % 5];
        return create('Slip', { note, code: note === 'taken' ? note : `code ${index}` });
      }),
    );
    const types = { keep: undefined, refuse: 'ValidationError', taken: 'UniqueValidationError' };
    for (const [index, outcome] of outcomes.entries()) {
      const type = outcome.status === 'rejected' ? outcome.reason.type : undefined;
      assert.equal(type, types[(kinds[index % 5] ?? 'keep') as keyof typeof types]);
    }
    const names = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.name] : []));
    const expected = Array.from({ length: 60 }, (_, index) => `SLIP-${String(index + 2).padStart(5, '0')}`);
    assert.deepEqual(names.toSorted(), expected);
  });

  test('parallel updates of different fields and rows are all kept, one revision each', async () => {
    const { name } = await invoice('start');
    const update = (fields: Record<string, unknown>) =>
      site.run((ctx) => updateDocument(ctx, 'Invoice', name, fields));
    await Promise.all([
      update({ note: 'noted' }),
      update({ total: 7 }),
      update({ status: 'Paid' }),
      ...Array.from({ length: 10 }, (_, index) =>
        update({ items: [{ item: `rows ${index}` }, { item: 'B' }] }),
      ),
    ]);
    const { doc, revision } = await site.run((ctx) => readDocumentWithRevision(ctx, 'Invoice', name));
    assert.deepEqual([doc['note'], doc['total'], doc['status'], revision], ['noted', 7, 'Paid', 14]);
    assert.equal((doc['items'] as unknown[]).length, 2);
  });

  test('of two updates that expect the same revision one wins', async () => {
    const { name } = await invoice('start');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        site.run((ctx) => updateDocument(ctx, 'Invoice', name, { total: index }, { ifMatch: 1 })),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1);
  });

  test('deleting a document while others link to it leaves no dangling link', async () => {
    for (let round = 0; round < 10; round += 1) {
      const customer = `Racer ${round}`;
      await create('Customer', { customer_name: customer });
      const [linked, deleted] = await Promise.allSettled([
        create('Invoice', { customer, items: [{ item: 'A' }] }),
        site.run((ctx) => deleteDocument(ctx, 'Customer', customer)),
      ]);
      assert.equal([linked, deleted].filter((one) => one.status === 'fulfilled').length, 1);
      if (linked.status === 'fulfilled') await site.run((ctx) => readDocument(ctx, 'Customer', customer));
    }
  });

  test('of many creations with one name one wins', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => create('Memo', { name: 'contested' })),
    );
    const errors = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.type] : []));
    assert.deepEqual(
      errors,
      Array.from({ length: 19 }, () => 'DuplicateEntryError'),
    );
  });
});
