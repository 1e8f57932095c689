/** Methods about what documents have to do with each other. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const PERMISSIONS = [
  { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1, amend: 1 },
  { role: 'Reader', read: 1 },
];
const CLIENT = {
  name: 'Client',
  module: 'Test',
  custom: 1,
  autoname: 'Prompt',
  allow_rename: 1,
  permissions: [
    { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 },
    { role: 'Reader', read: 1 },
  ],
  fields: [{ fieldname: 'city', label: 'City', fieldtype: 'Data' }],
};
const OFFER = {
  name: 'Offer',
  module: 'Test',
  custom: 1,
  autoname: 'OFFER-.###',
  is_submittable: 1,
  permissions: PERMISSIONS,
  fields: [
    { fieldname: 'client', label: 'Client', fieldtype: 'Link', options: 'Client' },
    {
      fieldname: 'sum',
      label: 'Sum',
      fieldtype: 'Currency',
      read_only: 1,
      enforce_on_server: 1,
      default: '7',
    },
    { fieldname: 'note', label: 'Note', fieldtype: 'Data', no_copy: 1 },
  ],
};

describeEither('linked documents and amendments over HTTP', { users: { reader: ['Reader'] } }, (site) => {
  before(async () => {
    for (const body of [{ name: 'Reader' }, { name: 'Other' }]) {
      await site.request('POST', '/api/resource/Role', { body: { role_name: body.name } });
    }
    for (const body of [CLIENT, OFFER]) ok(await site.request('POST', '/api/resource/DocType', { body }));
    ok(await site.request('POST', '/api/resource/Client', { body: { name: 'Acme' } }));
  });

  function ok(reply: TestReply) {
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data ?? reply.body.message;
  }
  const call = (method: string, body: object, as?: string) =>
    site.request('POST', `/api/method/${method}`, { body, as });
  const offer = async (body: object = {}): Promise<string> =>
    ok(await site.request('POST', '/api/resource/Offer', { body: { client: 'Acme', ...body } })).name;
  const cancelled = async (body: object = {}): Promise<string> => {
    const name = await offer({ docstatus: 1, ...body });
    ok(await site.request('PUT', `/api/resource/Offer/${name}`, { body: { docstatus: 2 } }));
    return name;
  };
  const attach = async (docname: string, fileName: string) => {
    const form = new FormData();
    form.set('file', new Blob(['bytes']), fileName);
    form.set('doctype', 'Offer');
    form.set('docname', docname);
    form.set('is_private', '1');
    return ok(await site.request('POST', '/api/method/upload_file', { body: form }));
  };

  test('an amendment has the attachments of the document it amends, for good', async () => {
    const name = await cancelled({ note: 'not copied' });
    const file = await attach(name, 'terms.txt');
    const args = { doctype: 'Offer', name, doc: { client: 'Acme' } };
    const draft = ok(await call('chancery.amend_document', args));
    assert.deepEqual(
      [draft.name, draft.amended_from, draft.docstatus, draft.client, draft.sum, draft.note],
      [`${name}-1`, name, 0, 'Acme', 7, null],
    );
    const filters = { attached_to_doctype: 'Offer', attached_to_name: draft.name };
    const listed = await site.request(
      'GET',
      `/api/resource/File?fields=["*"]&filters=${JSON.stringify(filters)}`,
    );
    assert.equal(listed.body.data.length, 1);
    assert.deepEqual([listed.body.data[0].file_url, listed.body.data[0].is_private], [file.file_url, 1]);
    ok(await site.request('PUT', `/api/resource/Offer/${draft.name}`, { body: { amended_from: name } }));
    assert.equal((await site.request('GET', file.file_url)).text, 'bytes');
  });

  test('whether a document is amended can be asked', async () => {
    const name = await cancelled();
    const ask = { doctype: 'Offer', docname: name };
    assert.equal(ok(await call('frappe.client.is_document_amended', ask)), undefined);
    const draft = ok(await call('chancery.amend_document', { doctype: 'Offer', name }));
    assert.equal(ok(await call('frappe.client.is_document_amended', ask)), draft.name);
  });

  test('refusals of an amendment', async () => {
    const name = await cancelled();
    const draft = await offer();
    const amend = (body: object, as?: string) => call('chancery.amend_document', body, as);
    const reply = await amend({ doctype: 'Offer', name: draft });
    assertEnvelope(reply, 'ValidationError');
    const [message] = JSON.parse(reply.body._server_messages);
    assert.equal(JSON.parse(message).title, 'Amendment Not Allowed');
    assertEnvelope(await amend({ doctype: 'Client', name: 'Acme' }), 'ValidationError');
    assertEnvelope(await amend({ doctype: 'Offer', name: 'none' }), 'DoesNotExistError');
    assertEnvelope(await amend({ doctype: 'Offer', name }, 'reader'), 'PermissionError');
    assertEnvelope(await amend({ doctype: 'Offer', name, doc: 'junk' }), 'ValidationError');
  });

  test('linked documents by doctype, with counts and names, and in the shape of the form', async () => {
    ok(await site.request('POST', '/api/resource/Client', { body: { name: 'Linked' } }));
    const first = await offer({ client: 'Linked' });
    const second = await offer({ client: 'Linked', docstatus: 1 });
    const args = { doctype: 'Client', name: 'Linked' };
    assert.deepEqual(ok(await call('chancery.linked_documents', args)), {
      Offer: { count: 2, names: [second, first], effects: ['blocks', 'blocks'] },
    });
    assert.deepEqual(ok(await call('chancery.linked_documents', args, 'reader')), {
      Offer: { count: 2, names: [second, first], effects: ['blocks', 'blocks'] },
    });
    const form = ok(await call('frappe.desk.form.linked_with.get', { doctype: 'Client', docname: 'Linked' }));
    assert.deepEqual(
      form.Offer.map((row: { name: string; docstatus: number }) => [row.name, row.docstatus]),
      [
        [second, 1],
        [first, 0],
      ],
    );
    assert.match(form.Offer[0].modified, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const outsider = await site.createUser('outsider@example.com', ['Other']);
    assertEnvelope(await call('chancery.linked_documents', args, outsider), 'PermissionError');
  });

  test('a rename as a method of the document has the notice of a rename, in the form of each version', async () => {
    const noticed = (from: string, to: string) => ({
      message: `Document renamed from ${from} to ${to}`,
      title: 'Message',
      indicator: 'green',
      alert: 1,
    });
    ok(await site.request('POST', '/api/resource/Client', { body: { name: 'R0' } }));
    const inV1 = ({ body }: TestReply) =>
      JSON.parse(body._server_messages).map((text: string) => JSON.parse(text));
    const inV2 = ({ body }: TestReply) => body.messages;
    const post = (path: string, body: object) => site.request('POST', path, { body });
    const byName = (dn: string, name: string) => ({ dt: 'Client', dn, method: 'rename', args: { name } });
    const ways = [
      [
        inV1,
        (from: string, name: string) => post(`/api/resource/Client/${from}?run_method=rename`, { name }),
      ],
      [inV2, (from: string, name: string) => post(`/api/v2/document/Client/${from}/method/rename`, { name })],
      [inV1, (from: string, name: string) => post('/api/method/run_doc_method', byName(from, name))],
      [inV2, (from: string, name: string) => post('/api/v2/method/run_doc_method', byName(from, name))],
    ] as const;
    for (const [index, [noticesOf, rename]] of ways.entries()) {
      const [from, to] = [`R${index}`, `R${index + 1}`];
      const reply = await rename(from, to);
      assert.equal(reply.body.data ?? reply.body.message, to, reply.text);
      assert.deepEqual(noticesOf(reply), [noticed(from, to)]);
    }
    const commented = await post('/api/resource/Client/R4?run_method=add_comment', { text: 'hello' });
    assert.equal(commented.status, 200, commented.text);
    assert.deepEqual(Object.keys(commented.body), ['data']);
  });

  test('merging over HTTP moves what linked, under the rights of its user', async () => {
    ok(await site.request('POST', '/api/resource/Client', { body: { name: 'Acme Inc' } }));
    const name = await offer({ client: 'Acme Inc' });
    const args = { doctype: 'Client', old_name: 'Acme Inc', new_name: 'Acme', merge: true };
    assertEnvelope(await call('frappe.client.rename_doc', args, 'reader'), 'PermissionError');
    const renamed = await call('frappe.client.rename_doc', args);
    assert.equal(ok(renamed), 'Acme');
    assert.deepEqual(
      JSON.parse(renamed.body._server_messages).map((text: string) => JSON.parse(text)),
      [
        {
          message: `Document renamed from ${args.old_name} to Acme`,
          title: 'Message',
          indicator: 'green',
          alert: 1,
        },
      ],
    );
    assert.equal(ok(await site.request('GET', `/api/resource/Offer/${name}`)).client, 'Acme');
    assert.equal((await site.request('GET', '/api/resource/Client/Acme Inc')).status, 404);
  });
});
