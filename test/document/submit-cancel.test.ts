import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { currentUser } from '../../src/access/user.ts';
import { rowsOf } from '../../src/document/document.ts';
import { cancelDocument } from '../../src/document/verbs/cancel.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { submitDocument } from '../../src/document/verbs/submit.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { describeSite } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { memorySite, STAFF } from '../support/memory-site.ts';
import { DOCTYPES, INVOICE } from './doctypes.ts';

const CLERK = currentUser('clerk@example.com', ['Clerk']);
const DOCTYPES_WITH_CLERK = DOCTYPES.map((doctype) =>
  doctype !== INVOICE
    ? doctype
    : {
        ...INVOICE,
        permissions: [
          { role: 'Staff', read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1 },
          { role: 'Clerk', read: 1, write: 1, create: 1 },
        ],
      },
);

describeSite('submit and cancel', memorySite({ doctypes: DOCTYPES_WITH_CLERK }), (site) => {
  let name: string;
  before(async () => {
    await site.run((ctx) => createDocument(ctx, 'Customer', { customer_name: 'Acme' }));
  });
  beforeEach(async () => {
    const fields = { customer: 'Acme', note: 'n', items: [{ item: 'A', remark: 'r' }, { item: 'B' }] };
    name = (await site.run((ctx) => createDocument(ctx, 'Invoice', fields))).name;
    site.events.length = 0;
  });

  const update = (fields: Record<string, unknown>, user = STAFF) =>
    site.run((ctx) => updateDocument(ctx, 'Invoice', name, fields), user);
  const submit = (user = STAFF) => site.run((ctx) => submitDocument(ctx, 'Invoice', name), user);
  const cancel = (user = STAFF) => site.run((ctx) => cancelDocument(ctx, 'Invoice', name), user);
  const read = () => site.run((ctx) => readDocument(ctx, 'Invoice', name));

  test('docstatus 1 submits with the fields sent, 2 cancels; rows follow', async () => {
    const submitted = await update({ docstatus: 1, total: 5 });
    assert.deepEqual(submitted, await read());
    assert.deepEqual([submitted.docstatus, submitted['total']], [1, 5]);
    assert.deepEqual(
      rowsOf(submitted, 'items').map((row) => row.docstatus),
      [1, 1],
    );
    const cancelled = await update({ docstatus: '2' });
    assert.deepEqual(cancelled, await read());
    assert.deepEqual(
      rowsOf(cancelled, 'items').map((row) => row.docstatus),
      [2, 2],
    );
    assert.deepEqual(site.events, [
      `Invoice.on_submit ${name}`,
      `Invoice.on_change ${name}`,
      `Invoice.on_cancel ${name}`,
      `Invoice.on_change ${name}`,
    ]);
  });

  test('no step is skipped or taken back', async () => {
    await refused(cancel(), 'DocstatusTransitionError');
    await refused(update({ docstatus: 3 }), 'DocstatusTransitionError');
    await submit();
    await refused(submit(), 'DocstatusTransitionError');
    await refused(update({ docstatus: 0 }), 'DocstatusTransitionError');
    await cancel();
    for (const docstatus of [0, 1, 2]) {
      await refused(update({ docstatus }), 'ValidationError', 'Cannot edit cancelled document');
    }
    await refused(update({ note: 'x' }), 'ValidationError', 'Cannot edit cancelled document');
    await refused(cancel(), 'ValidationError');
  });

  test('submitting needs submit, cancelling cancel', async () => {
    await update({ note: 'by clerk' }, CLERK);
    await refused(submit(CLERK), 'PermissionError');
    await refused(
      site.run((ctx) => createDocument(ctx, 'Invoice', { customer: 'Acme', docstatus: 1 }), CLERK),
      'PermissionError',
    );
    await submit();
    await refused(update({ note: 'after' }, CLERK), 'PermissionError');
    await refused(cancel(CLERK), 'PermissionError');
  });

  test('after submission only allow_on_submit fields change', async () => {
    await submit();
    site.events.length = 0;
    const doc = await update({ note: 'later', docstatus: 1 });
    assert.equal(doc['note'], 'later');
    assert.deepEqual(site.events, [`Invoice.on_update_after_submit ${name}`, `Invoice.on_change ${name}`]);
    await refused(
      update({ total: 9 }),
      'UpdateAfterSubmitError',
      'Not allowed to change Total after submission',
    );
    const [a, b] = rowsOf(await read(), 'items');
    await update({ items: [{ ...a, remark: 'new' }, b] });
    await refused(update({ items: [a] }), 'UpdateAfterSubmitError', /Items/);
    const swapped = [
      { ...b, idx: 1 },
      { ...a, idx: 2 },
    ];
    await refused(update({ items: swapped }), 'UpdateAfterSubmitError', /Items/);
    await refused(update({ items: [a, b, { item: 'C' }] }), 'UpdateAfterSubmitError', /Items/);
    await refused(update({ items: [{ ...a, item: 'Z' }, b] }), 'UpdateAfterSubmitError', /Row #1: .*Item/);
  });

  test('a submitted document is not deleted, a cancelled one is', async () => {
    const remove = () => site.run((ctx) => deleteDocument(ctx, 'Invoice', name));
    await submit();
    await refused(remove(), 'ValidationError', /cannot be deleted/);
    await cancel();
    await remove();
  });

  test('a submitted document that links here blocks cancelling, a draft does not', async () => {
    const pay = (docstatus: number) =>
      site.run((ctx) => createDocument(ctx, 'Payment', { invoice: name, docstatus }));
    await submit();
    await pay(0);
    const payment = await pay(1);
    await refused(
      cancel(),
      'LinkExistsError',
      new RegExp(`Invoice ${name} is linked with Payment ${payment.name}`),
    );
    assert.equal((await read()).docstatus, 1);
    await site.run((ctx) => cancelDocument(ctx, 'Payment', payment.name));
    await cancel();
    await refused(pay(0), 'CancelledLinkError', `Cannot link cancelled document: Invoice: ${name}`);
  });

  test('a doctype that is not submittable has no docstatus', async () => {
    await refused(
      site.run((ctx) => updateDocument(ctx, 'Customer', 'Acme', { docstatus: 1 })),
      'ValidationError',
      'Customer is not submittable',
    );
  });
});
