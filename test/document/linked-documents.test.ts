import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { currentUser } from '../../src/access/user.ts';
import { cancelDocument } from '../../src/document/verbs/cancel.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { linkedDocuments } from '../../src/document/verbs/linked-documents.ts';
import { submitDocument } from '../../src/document/verbs/submit.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { describeEither } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { memorySite, OUTSIDER, STAFF } from '../support/memory-site.ts';
import { DOCTYPES, INVOICE } from './doctypes.ts';

const VISITOR = currentUser('visitor@example.com', ['Visitor']);
const COMMENT = {
  name: 'Comment',
  fields: [
    { fieldname: 'reference_doctype', label: 'Type', fieldtype: 'Data' },
    { fieldname: 'reference_name', label: 'Name', fieldtype: 'Dynamic Link', options: 'reference_doctype' },
  ],
};
const VISIBLE = [{ role: 'Staff', read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1, amend: 1 }];
const OPEN = { role: 'Visitor', read: 1 };
const DEFINITIONS = [
  ...DOCTYPES.map((one) => {
    if (one === INVOICE) return { ...one, permissions: [...VISIBLE, { ...OPEN, if_owner: 1 }] };
    return one.name === 'Customer'
      ? { ...one, permissions: [{ role: 'Staff', read: 1, write: 1, create: 1, delete: 1 }, OPEN] }
      : one;
  }),
  COMMENT,
];

describeEither('links', memorySite({ doctypes: DEFINITIONS }), (site) => {
  before(async () => {
    for (const name of ['Acme', 'Beta']) await create('Customer', { customer_name: name });
  });

  const create = (doctype: string, fields: Record<string, unknown>) =>
    site.run((ctx) => createDocument(ctx, doctype, fields));
  const invoice = (fields: Record<string, unknown> = {}) =>
    create('Invoice', { customer: 'Acme', items: [{ item: 'A' }], ...fields });
  const linked = (doctype: string, name: string, user = STAFF) =>
    site.run((ctx) => linkedDocuments(ctx, doctype, name), user);
  const submit = (doctype: string, name: string) => site.run((ctx) => submitDocument(ctx, doctype, name));
  const cancel = (name: string) => site.run((ctx) => cancelDocument(ctx, 'Invoice', name));

  test('linked documents are counted by doctype, each once, the last changed first', async () => {
    const shipped = await invoice({
      items: [
        { item: 'A', ship_to: 'Beta' },
        { item: 'B', ship_to: 'Beta' },
      ],
    });
    const both = await invoice({ customer: 'Beta', items: [{ item: 'A', ship_to: 'Beta' }] });
    await create('Memo', { name: 'beta memo', about_type: 'Customer', about: 'Beta' });
    await create('Memo', { name: 'other memo', about_type: 'Customer', about: 'Acme' });
    await create('Comment', { reference_doctype: 'Customer', reference_name: 'Beta' });
    const found = await linked('Customer', 'Beta');
    assert.deepEqual(
      found.map(({ doctype, count, first }) => [doctype, count, first.map(({ name }) => name)]),
      [
        ['Invoice', 2, [both.name, shipped.name]],
        ['Memo', 1, ['beta memo']],
      ],
    );
    const { name, modified } = both;
    assert.deepEqual(found[0]?.first[0], { name, docstatus: 0, modified, effect: 'blocks' });
    assert.deepEqual(await linked('Memo', 'beta memo'), []);
  });

  test('only what the user may read is counted, and the document itself must be readable', async () => {
    await refused(linked('Customer', 'Beta', OUTSIDER), 'PermissionError');
    await refused(linked('Customer', 'Missing'), 'DoesNotExistError');
    assert.deepEqual(await linked('Customer', 'Beta', VISITOR), []);
    await site.database.transaction((connection) =>
      connection.run({
        text: `update "Invoice" set "owner" = 'visitor@example.com' where "customer" = 'Beta'`,
        values: [],
      }),
    );
    const [seen] = await linked('Customer', 'Beta', VISITOR);
    assert.deepEqual([seen?.doctype, seen?.count], ['Invoice', 1]);
  });

  test('at most twenty names are shown, all are counted', async () => {
    await create('Customer', { customer_name: 'Many' });
    for (let index = 0; index < 22; index += 1) await invoice({ customer: 'Many' });
    const [found] = await linked('Customer', 'Many');
    assert.deepEqual([found?.count, found?.first.length], [22, 20]);
  });

  test('a draft that links to a document cancelled since is not submitted', async () => {
    const { name } = await invoice({ docstatus: 1 });
    const draft = await create('Payment', { invoice: name });
    await cancel(name);
    await refused(
      submit('Payment', draft.name),
      'CancelledLinkError',
      `Cannot link cancelled document: Invoice: ${name}`,
    );
    // A document that is not submittable may go on pointing at it.
    await create('Memo', { name: 'why cancelled', about_type: 'Invoice', about: name });
  });

  test('submitting what links here and cancelling this never both succeed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { name } = await invoice({ docstatus: 1 });
      const payment = await create('Payment', { invoice: name });
      const outcomes = await Promise.allSettled([submit('Payment', payment.name), cancel(name)]);
      const done = outcomes.filter((one) => one.status === 'fulfilled').length;
      assert.equal(done, 1, `${done} of two succeeded`);
    }
  });

  test('a link to a single names it', async () => {
    const memo = { name: 'to a single', about_type: 'Preferences', about: 'Preferences' };
    await create('Memo', memo);
    await refused(create('Memo', { ...memo, name: 'b', about: 'Other' }), 'LinkValidationError');
  });

  test('a series field that became nonsense does not keep a document', async () => {
    const made = await invoice();
    await site.run((ctx) => updateDocument(ctx, 'Invoice', made.name, { naming_series: 'no "dots"' }));
    await site.run((ctx) => deleteDocument(ctx, 'Invoice', made.name));
  });
});
