import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { loadSecret } from '../../src/access/secret.ts';
import { rowsOf } from '../../src/document/document.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { readDocument, readDocumentWithRevision } from '../../src/document/verbs/read.ts';
import { renameDocument } from '../../src/document/verbs/rename.ts';
import { describeEither } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { memorySite, OUTSIDER, STAFF } from '../support/memory-site.ts';
import { DOCTYPES, INVOICE } from './doctypes.ts';

const DOSSIER = {
  name: 'Dossier',
  autoname: 'Prompt',
  allow_rename: 1,
  fields: [{ fieldname: 'rows', label: 'Rows', fieldtype: 'Table', options: 'Invoice Item' }],
};
const FILE = {
  name: 'File',
  fields: [
    { fieldname: 'attached_to_doctype', fieldtype: 'Data' },
    { fieldname: 'attached_to_name', fieldtype: 'Data' },
  ],
};

describeEither('rename', memorySite({ doctypes: [...DOCTYPES, DOSSIER, FILE] }), (site) => {
  before(async () => {
    await create('Customer', { customer_name: 'Acme' });
  });

  const create = (doctype: string, fields: Record<string, unknown>) =>
    site.run((ctx) => createDocument(ctx, doctype, fields));
  const read = (doctype: string, name: string) =>
    site.run((ctx) => readDocumentWithRevision(ctx, doctype, name));
  const rename = (doctype: string, from: string, to: string, user = STAFF) =>
    site.run((ctx) => renameDocument(ctx, doctype, from, to), user);

  test('links, rows, Dynamic Links, attachments, naming field and secrets follow', async () => {
    await create('Customer', { customer_name: 'Old' });
    const invoice = await create('Invoice', { customer: 'Old', items: [{ item: 'A', ship_to: 'Old' }] });
    const shipped = await create('Invoice', { customer: 'Acme', items: [{ item: 'A', ship_to: 'Old' }] });
    await create('Memo', { name: 'memo', about_type: 'Customer', about: 'Old' });
    const file = await create('File', { attached_to_doctype: 'Customer', attached_to_name: 'Old' });
    const revisions = [await read('Invoice', shipped.name), await read('Memo', 'memo')].map(
      (one) => one.revision,
    );
    site.events.length = 0;
    assert.equal(await rename('Customer', 'Old', ' New '), 'New');

    assert.deepEqual(site.events, ['Customer.after_rename New']);
    assert.equal((await read('Customer', 'New')).doc['customer_name'], 'New');
    const now = (await read('Invoice', invoice.name)).doc;
    assert.equal(now['customer'], 'New');
    assert.equal(rowsOf(now, 'items')[0]?.['ship_to'], 'New');
    assert.equal((await read('Memo', 'memo')).doc['about'], 'New');
    assert.equal((await read('File', file.name)).doc['attached_to_name'], 'New');
    await refused(
      site.run((ctx) => readDocument(ctx, 'Customer', 'Old')),
      'DoesNotExistError',
    );
    // Whoever holds an ETag of a document that links here must notice.
    const later = [await read('Invoice', shipped.name), await read('Memo', 'memo')].map(
      (one) => one.revision,
    );
    assert.deepEqual(
      later,
      revisions.map((revision) => revision + 1),
    );
  });

  test('rows and secrets belong to the new name', async () => {
    await create('Dossier', { name: 'd1', rows: [{ item: 'A' }, { item: 'B' }] });
    await rename('Dossier', 'd1', 'd2');
    const rows = rowsOf((await read('Dossier', 'd2')).doc, 'rows');
    assert.deepEqual(
      rows.map((row) => row.parent),
      ['d2', 'd2'],
    );
    await create('Memo', { name: 'm1', token: 'hush' });
    await rename('Memo', 'm1', 'm2');
    const secret = (name: string) => loadSecret(site, site.database.reader, 'Memo', name, 'token');
    assert.deepEqual([await secret('m1'), await secret('m2')], [null, 'hush']);
  });

  test('refusals', async () => {
    await create('Customer', { customer_name: 'R1' });
    await create('Customer', { customer_name: 'R2' });
    await refused(rename('Customer', 'R1', 'R2'), 'ValidationError', /exists/);
    await refused(rename('Customer', 'R1', 'R1'), 'ValidationError', /same/);
    await refused(rename('Customer', 'R1', 'a<b'), 'NameError');
    await refused(rename('Customer', 'R1', ''), 'ValidationError');
    await refused(rename('Customer', 'Missing', 'x'), 'DoesNotExistError');
    await refused(rename('Customer', 'R1', 'x', OUTSIDER), 'PermissionError');
    const { name } = await create('Invoice', { customer: 'R1', items: [{ item: 'A' }] });
    await refused(rename(INVOICE.name, name, 'x'), 'ValidationError', /not allowed to be renamed/);
  });
});
