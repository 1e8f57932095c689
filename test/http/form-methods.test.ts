/** What forms and pickers of Frappe's clients ask, in the shapes they read. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { defineDocumentMethod } from '../../src/document/verbs/method.ts';
import { defineApp, defineController } from '../../src/site/app.ts';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const methods = defineApp({
  name: 'methods',
  controllers: {
    Note: defineController({
      hasPermission: (_ctx, doc) => doc.name !== 'closed' || _ctx.user.isAdministrator,
      documentMethods: {
        summary: defineDocumentMethod({
          http: ['GET', 'POST'],
          args: { mark: { type: 'Data' } },
          run: (doc, _ctx, { mark }) => `${doc['title']} ${mark}`,
        }),
      },
    }),
  },
});

describeEither(
  'forms',
  { apps: [notes, methods], users: { reader: ['Note Reader'], nobody: [] } },
  (site) => {
    before(async () => {
      for (const name of ['open', 'closed', '50% off']) {
        const doc = { name, title: `T ${name}`, grade: 'secret', lines: [{ text: 'row' }] };
        await site.make('Note', doc);
      }
    });

    const call = (method: string, args: object, as?: string | null): Promise<TestReply> =>
      site.request('POST', `/api/method/${method}`, { body: args, as });
    const message = async (method: string, args: object, as?: string): Promise<unknown> => {
      const { status, body, text } = await call(method, args, as);
      assert.equal(status, 200, text);
      assert.ok(!('docs' in body), 'frappe-ui returns the whole body when docs is there');
      return body.message;
    };
    const note = (docname: string, more: object = {}) => ({ doctype: 'Note', docname, ...more });

    test('has_permission and get_doc_permissions follow roles and controllers, and hide what is missing', async () => {
      const may = async (args: object, as?: string) => message('frappe.client.has_permission', args, as);
      assert.deepEqual(await may(note('open'), 'reader'), { has_permission: true });
      assert.deepEqual(await may(note('open', { perm_type: 'write' }), 'reader'), { has_permission: false });
      assert.deepEqual(await may(note('closed'), 'reader'), { has_permission: false });
      assert.deepEqual(await may(note('absent'), 'reader'), { has_permission: false });
      assert.deepEqual(await may(note('open'), 'nobody'), { has_permission: false });
      assert.deepEqual(await may(note('closed', { perm_type: 'delete' })), { has_permission: true });
      assertEnvelope(
        await call('frappe.client.has_permission', note('open', { perm_type: 'fly' })),
        'ValidationError',
      );
      const rights = await message('frappe.client.get_doc_permissions', note('open'), 'reader');
      const has = { read: 1, select: 1 };
      const lacks = { write: 0, create: 0, delete: 0, submit: 0, cancel: 0, amend: 0, report: 0, import: 0 };
      const mayNot = { export: 0, share: 0, print: 0, email: 0 };
      assert.deepEqual(rights, { permissions: { ...has, ...lacks, ...mayNot } });
      assert.partialDeepStrictEqual(await message('frappe.client.get_doc_permissions', note('open')), {
        permissions: { write: 1, submit: 1, import: 1 },
      });
      assertEnvelope(
        await call('frappe.client.get_doc_permissions', note('closed'), 'reader'),
        'PermissionError',
      );
    });

    test('.NET validate_link: the name and fields, or no name', async () => {
      const validate = (args: object, as?: string) => message('frappe.client.validate_link', args, as);
      assert.deepEqual(await validate(note('open')), { name: 'open' });
      assert.deepEqual(await validate(note('open', { fields: '["title"]' }), 'reader'), {
        name: 'open',
        title: 'T open',
      });
      assert.deepEqual(await validate(note('absent')), { name: null });
      assertEnvelope(
        await call('frappe.client.validate_link', note('open', { fields: ['grade'] }), 'reader'),
        'DataError',
      );
      assertEnvelope(await call('frappe.client.validate_link', note('open'), 'nobody'), 'PermissionError');
    });

    test('react-sdk and frappe-ui search_link; frappe_dart search_widget', async () => {
      const search = (txt: string, more: object = {}) =>
        message('frappe.desk.search.search_link', { doctype: 'Note', txt, page_length: 10, ...more });
      assert.deepEqual(await search('open'), [{ value: 'open', description: '' }]);
      assert.deepEqual(await search('T clo', { searchfield: 'title' }), [
        { value: 'closed', description: 'T closed' },
      ]);
      assert.deepEqual(await search('0% o'), [{ value: '50% off', description: '' }]);
      assert.deepEqual(await search('_'), []);
      assert.equal(((await search('')) as unknown[]).length, 3);
      // What begins with the text comes first, on every page.
      const values = async (more: object) =>
        ((await search('o', more)) as { value: string }[]).map(({ value }) => value);
      const all = await values({});
      assert.equal(all[0], 'open');
      assert.equal(all.length, 3);
      const pages = await Promise.all([0, 1, 2].map((start) => values({ start, page_length: 1 })));
      assert.deepEqual(pages.flat(), all);
      assert.deepEqual(await search('', { filters: { title: 'T open' } }), [
        { value: 'open', description: '' },
      ]);
      assert.deepEqual(await search('', { filters: '[["Note","title","=","T open"]]' }), [
        { value: 'open', description: '' },
      ]);
      const rows = await message('frappe.desk.search.search_widget', {
        doctype: 'Note',
        txt: 'open',
        searchfield: 'title',
      });
      assert.deepEqual(rows, [['open', 'T open']]);
      const secret = { doctype: 'Note', txt: 'secret', searchfield: 'grade' };
      assert.deepEqual(await message('frappe.desk.search.search_link', secret, 'reader'), []);
      assertEnvelope(
        await call('frappe.desk.search.search_link', { doctype: 'Note' }, 'nobody'),
        'PermissionError',
      );
    });

    test('n8n, frappe-ui and dhwani getdoctype: docs at the top, with the tables’ doctypes', async () => {
      const reply = await site.request('GET', '/api/method/frappe.desk.form.load.getdoctype?doctype=Note', {
        as: 'reader',
      });
      assert.deepEqual(Object.keys(reply.body).sort(), ['docs', 'user_settings']);
      assert.deepEqual(
        reply.body.docs.map((doc: { name: string }) => doc.name),
        ['Note', 'Note Line'],
      );
      assert.equal(typeof reply.body.user_settings, 'string');
      const [title] = reply.body.docs[0].fields;
      assert.partialDeepStrictEqual(title, {
        fieldname: 'title',
        fieldtype: 'Data',
        label: 'Title',
        reqd: 1,
      });
      const refused = await site.request(
        'GET',
        '/api/method/frappe.desk.form.load.getdoctype?doctype=Webhook',
        { as: 'reader' },
      );
      assertEnvelope(refused, 'PermissionError');
    });

    test('frappe_dart getdoc: the document, and what belongs to it', async () => {
      await call('frappe.desk.form.utils.add_comment', {
        reference_doctype: 'Note',
        reference_name: 'open',
        content: 'hello',
      });
      const path = '/api/method/frappe.desk.form.load.getdoc?doctype=Note&name=open';
      const { body, text } = await site.request('GET', path, { as: 'reader' });
      assert.deepEqual(Object.keys(body).sort(), ['docinfo', 'docs']);
      assert.partialDeepStrictEqual(body.docs, [{ name: 'open', doctype: 'Note' }]);
      assert.partialDeepStrictEqual(body.docinfo, { permissions: { read: 1, write: 0 }, attachments: [] });
      assert.equal(body.docinfo.comments[0].content, 'hello');
      assert.ok(!text.includes('secret'));
      assertEnvelope(await site.request('GET', path, { as: 'nobody' }), 'PermissionError');
    });

    test('frappe-ui run_doc_method: docs beside the message', async () => {
      const run = (args: object, as?: string) => call('run_doc_method', args, as);
      const { body, text } = await run({ dt: 'Note', dn: 'open', method: 'summary', args: { mark: '!' } });
      assert.equal(body.message, 'T open !', text);
      assert.partialDeepStrictEqual(body.docs, [{ name: 'open' }]);
      const sent = await run({
        docs: { doctype: 'Note', name: 'open', title: 'mine' },
        method: 'summary',
        args: '{"mark":"?"}',
      });
      assert.equal(sent.body.message, 'T open ?', 'only what is stored counts');
      assertEnvelope(await run({ dt: 'Note', dn: 'open', method: 'summary' }, 'reader'), 'PermissionError');
      const query = 'dt=Note&dn=open&method=summary';
      await site.ok('GET', `/api/method/run_doc_method?${query}`, { as: 'reader' });
      assertEnvelope(await run({ dt: 'Note', dn: 'open', method: 'validate' }), 'DoesNotExistError');
      assertEnvelope(await run({ method: 'summary' }), 'ValidationError');
    });

    test('get_time_zone answers anybody; add_comment needs the right to read', async () => {
      const zone = await site.request('GET', '/api/method/frappe.client.get_time_zone', { as: null });
      assert.deepEqual(zone.body, { message: { time_zone: 'UTC' } });
      const comment = { reference_doctype: 'Note', reference_name: 'open', content: 'x' };
      assertEnvelope(await call('frappe.desk.form.utils.add_comment', comment, 'nobody'), 'PermissionError');
      assert.partialDeepStrictEqual(await message('frappe.desk.form.utils.add_comment', comment, 'reader'), {
        content: 'x',
        comment_email: 'reader@example.com',
      });
    });

    test('frappeclient and framework bulk_update: docname, and what failed', async () => {
      const docs = JSON.stringify([
        { doctype: 'Note', docname: 'open', pages: 4 },
        { doctype: 'Note', docname: 'absent', pages: 5 },
      ]);
      const done = (await message('frappe.client.bulk_update', { docs })) as {
        failed_docs: Record<string, unknown>[];
      };
      assert.equal(done.failed_docs.length, 1);
      assert.partialDeepStrictEqual(done.failed_docs[0]?.['doc'], { docname: 'absent' });
      assert.match(String(done.failed_docs[0]?.['exc']), /DoesNotExistError/);
      assert.equal((await site.ok('GET', '/api/resource/Note/open')).pages, 4);
    });

    test('.NET attach_file, once with a key; dhwani download_file', async () => {
      const args = {
        filename: 'a.txt',
        filedata: Buffer.from('bytes').toString('base64'),
        decode_base64: true,
        is_private: 1,
        doctype: 'Note',
        docname: 'open',
        docfield: 'body',
      };
      const attach = (as?: string) =>
        site.request('POST', '/api/method/frappe.client.attach_file', {
          body: args,
          headers: { 'idempotency-key': 'attach' },
          as,
        });
      const first = await attach();
      assert.equal(first.status, 200, first.text);
      const { message: file } = first.body;
      assert.partialDeepStrictEqual(file, {
        file_name: 'a.txt',
        is_private: 1,
        attached_to_name: 'open',
        folder: 'Home/Attachments',
      });
      assert.equal((await attach()).text, first.text);
      assert.equal((await site.ok('GET', '/api/resource/Note/open')).body, file.file_url);
      assertEnvelope(await attach('reader'), 'PermissionError');

      const path = `/api/method/download_file?file_url=${encodeURIComponent(file.file_url)}`;
      assert.equal((await site.request('GET', path)).text, 'bytes');
      assertEnvelope(await site.request('GET', path, { as: 'nobody' }), 'PermissionError');
      assertEnvelope(await site.request('GET', path, { as: null }), 'PermissionError');
      assertEnvelope(await site.request('GET', '/api/method/download_file'), 'DoesNotExistError');
    });
  },
);
