import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentUser } from '../../src/access/user.ts';
import { rowsOf } from '../../src/document/document.ts';
import { amendDocument } from '../../src/document/verbs/amend.ts';
import { cancelDocument } from '../../src/document/verbs/cancel.ts';
import { copyDocument } from '../../src/document/verbs/copy.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { submitDocument } from '../../src/document/verbs/submit.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { describeEither } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { memorySite, STAFF } from '../support/memory-site.ts';

const CLERK = currentUser('clerk@example.com', ['Clerk']);

const LINE = {
  name: 'Order Line',
  istable: 1,
  fields: [
    { fieldname: 'item', label: 'Item', fieldtype: 'Data' },
    { fieldname: 'picked', label: 'Picked', fieldtype: 'Check', no_copy: 1 },
  ],
};
const ORDER = {
  name: 'Order',
  autoname: 'ORD-.###',
  is_submittable: 1,
  fields: [
    { fieldname: 'title', label: 'Title', fieldtype: 'Data' },
    { fieldname: 'status', label: 'Status', fieldtype: 'Select', options: 'New\nDone', no_copy: 1 },
    { fieldname: 'secret', label: 'Secret', fieldtype: 'Password' },
    { fieldname: 'cost', label: 'Cost', fieldtype: 'Currency', permlevel: 1 },
    { fieldname: 'lines', label: 'Lines', fieldtype: 'Table', options: 'Order Line' },
    { fieldname: 'notes', label: 'Notes', fieldtype: 'Table', options: 'Order Line', no_copy: 1 },
  ],
  permissions: [
    { role: 'Staff', read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1, amend: 1 },
    { role: 'Clerk', read: 1, write: 1, create: 1, submit: 1, cancel: 1 },
  ],
};
const BADGE = {
  name: 'Badge',
  autoname: 'field:title',
  is_submittable: 1,
  fields: [{ fieldname: 'title', label: 'Title', fieldtype: 'Data', reqd: 1 }],
};

describeEither('amend and copy', memorySite({ doctypes: [LINE, ORDER, BADGE] }), (site) => {
  const create = (fields: Record<string, unknown> = {}) =>
    site.run((ctx) => createDocument(ctx, 'Order', fields));
  const cancel = (name: string) => site.run((ctx) => cancelDocument(ctx, 'Order', name));
  const submit = (name: string) => site.run((ctx) => submitDocument(ctx, 'Order', name));
  const amend = (name: string, fields: Record<string, unknown> = {}, user = STAFF) =>
    site.run((ctx) => amendDocument(ctx, 'Order', name, fields), user);
  const cancelled = async (fields: Record<string, unknown> = {}) => {
    const { name } = await create({ ...fields, docstatus: 1 });
    await cancel(name);
    return name;
  };
  const notAllowed = async (work: Promise<unknown>, message: RegExp) => {
    const error = await refused(work, 'ValidationError', message);
    assert.equal(error.details.title, 'Amendment Not Allowed');
  };

  test('an amendment is a draft copy of its own, named after what it amends', async () => {
    const fields = { title: 'T', status: 'Done', secret: 'hush', lines: [{ item: 'A', picked: 1 }] };
    const name = await cancelled({ ...fields, notes: [{ item: 'N' }] });
    const draft = await amend(name, { title: 'Better' });
    assert.equal(draft.name, `${name}-1`);
    assert.deepEqual(
      [draft.docstatus, draft['amended_from'], draft['title'], draft['status'], draft['secret']],
      [0, name, 'Better', 'New', null],
    );
    const [row] = rowsOf(draft, 'lines');
    assert.deepEqual([row?.['item'], row?.['picked'], row?.parent], ['A', 0, draft.name]);
    assert.deepEqual(rowsOf(draft, 'notes'), []);
    const original = await site.run((ctx) => readDocument(ctx, 'Order', name));
    assert.notEqual(rowsOf(original, 'lines')[0]?.name, row?.name);
    assert.equal(original.docstatus, 2);

    await submit(draft.name);
    await cancel(draft.name);
    assert.equal((await amend(draft.name)).name, `${name}-2`);
  });

  test('a plain creation with amended_from amends too, and may be submitted at once', async () => {
    const name = await cancelled();
    const made = await create({ amended_from: name, title: 'x', docstatus: 1 });
    assert.deepEqual([made.name, made.docstatus, made['amended_from']], [`${name}-1`, 1, name]);
  });

  test('only a cancelled document is amended, and only once at a time', async () => {
    const draft = await create();
    await notAllowed(amend(draft.name), /not cancelled/);
    await notAllowed(create({ amended_from: draft.name }), /not cancelled/);
    await refused(amend('ORD-missing'), 'DoesNotExistError');
    await refused(create({ amended_from: 'ORD-missing' }), 'LinkValidationError');

    const name = await cancelled();
    const first = await amend(name);
    await notAllowed(amend(name), new RegExp(`already amended by ${first.name}`));
    await submit(first.name);
    await notAllowed(create({ amended_from: name }), /already amended/);
    await cancel(first.name);
    // The name of the first amendment stays taken.
    assert.equal((await amend(name)).name, `${name}-2`);
  });

  test('of two amendments at once one is refused', async () => {
    const name = await cancelled();
    const outcomes = await Promise.allSettled([amend(name), amend(name), create({ amended_from: name })]);
    assert.equal(outcomes.filter((one) => one.status === 'fulfilled').length, 1);
  });

  test('what a document amends never changes afterwards', async () => {
    const [one, other] = [await cancelled(), await cancelled()];
    const update = (name: string, amended_from: string) =>
      site.run((ctx) => updateDocument(ctx, 'Order', name, { amended_from })).catch(() => null);
    const amendment = await amend(one);
    const draft = await create();
    await update(amendment.name, other);
    await update(draft.name, other);
    const stored = (name: string) => site.run((ctx) => readDocument(ctx, 'Order', name));
    assert.equal((await stored(amendment.name))['amended_from'], one);
    assert.equal((await stored(draft.name))['amended_from'], null);
  });

  test('amending needs the right to amend', async () => {
    const name = await cancelled();
    await refused(amend(name, {}, CLERK), 'PermissionError');
    await refused(
      site.run((ctx) => createDocument(ctx, 'Order', { amended_from: name }), CLERK),
      'PermissionError',
    );
  });

  test('a field that names documents follows the name of the amendment', async () => {
    const made = await site.run((ctx) => createDocument(ctx, 'Badge', { title: 'Gold', docstatus: 1 }));
    await site.run((ctx) => cancelDocument(ctx, 'Badge', made.name));
    const draft = await site.run((ctx) => amendDocument(ctx, 'Badge', made.name));
    assert.deepEqual([draft.name, draft['title']], ['Gold-1', 'Gold-1']);
  });

  test('the number of an amendment does not come from the series, nor go back to it', async () => {
    const name = await cancelled();
    const draft = await amend(name);
    await site.run((ctx) => deleteDocument(ctx, 'Order', draft.name));
    await site.run((ctx) => deleteDocument(ctx, 'Order', name));
    assert.equal((await create()).name, name);
  });

  test('a copy has neither name, no_copy fields, passwords nor what its user may not write', async () => {
    await site.database.transaction((connection) =>
      connection.run({ text: `update "Order" set "cost" = 5`, values: [] }),
    );
    const source = await create({
      title: 'T',
      secret: 's',
      status: 'Done',
      lines: [{ item: 'A', picked: 1 }],
    });
    const copy = await site.run(async (ctx) => copyDocument(ctx, ctx.doctypes.get('Order'), source));
    assert.deepEqual(
      [copy.name, copy.owner, copy.docstatus, copy['title'], copy['status'], copy['secret'], copy['cost']],
      ['', '', 0, 'T', 'New', null, 0],
    );
    const rows = rowsOf(copy, 'lines');
    assert.deepEqual(
      rows.map((row) => [row.name, row['item'], row['picked'], row.idx]),
      [['', 'A', 0, 1]],
    );
  });
});
