/** `/api/v2`, as the data-fetching layer of frappe-ui uses it, and methods of documents in both versions. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { defineDocumentMethod } from '../../src/document/verbs/method.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { defineApp, defineController } from '../../src/site/app.ts';
import { notes } from '../support/notes/app.ts';
import { ENGINES, startTestSite, type TestReply, type TestSite } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const methods = defineApp({
  name: 'methods',
  controllers: {
    Note: defineController({
      validate(doc) {
        if (doc.title === 'broken') throw new Error('canary select * from secrets');
        if (doc.title === 'refused') throw new ServiceError('ValidationError', 'Refused by a hook');
      },
      documentMethods: {
        summary: defineDocumentMethod({
          http: ['GET', 'POST'],
          args: { mark: { type: 'Data' } },
          run: (doc, _ctx, { mark }) => `${doc.name}: ${doc['title']} ${mark ?? ''}`,
        }),
        double: defineDocumentMethod({
          run: (doc, ctx) => updateDocument(ctx, 'Note', doc.name, { pages: 2 * Number(doc['pages']) }),
        }),
        itself: defineDocumentMethod({ http: ['GET'], run: (doc) => doc }),
      },
    }),
  },
});

for (const engine of ENGINES) {
  describe(`the second version on ${engine}`, () => {
    let site: TestSite;
    let reader: string;
    let writer: string;
    const V2 = '/api/v2/document/Note';
    before(async () => {
      site = await startTestSite(engine, { apps: [notes, methods] });
      reader = await site.createUser('reader@example.com', ['Note Reader']);
      writer = await site.createUser('writer@example.com', ['Note Writer']);
      for (const [name, pages] of Object.entries({ alpha: 1, beta: 2, gamma: 3 })) {
        await make(name, { title: `T ${name}`, pages, grade: 'secret', lines: [{ text: 'row' }] });
      }
    });
    after(() => site.stop());

    async function make(name: string, fields: Record<string, unknown>): Promise<void> {
      const made = await site.request('POST', V2, { body: { name, ...fields } });
      assert.equal(made.status, 200, made.text);
    }
    function assertErrors(reply: TestReply, status: number, type: string): void {
      assert.equal(reply.status, status, reply.text);
      assert.deepEqual(Object.keys(reply.body), ['errors']);
      for (const error of reply.body.errors) {
        assert.equal(error.type, type, reply.text);
        assert.ok(error.message.length > 0 && error.title.length > 0);
        assert.equal(error.indicator, 'red');
      }
      assert.ok(!reply.text.includes('canary'));
    }

    test('frappe-ui useDoc: read, change with PUT and PATCH, delete', async () => {
      await make('life', { title: 'One', pages: 7 });
      const read = await site.request('GET', `${V2}/life`);
      assert.partialDeepStrictEqual(read.body.data, { name: 'life', title: 'One', doctype: 'Note' });
      const etag = read.headers.get('etag') ?? '';
      assert.equal(
        (await site.request('GET', `${V2}/life`, { headers: { 'if-none-match': etag } })).status,
        304,
      );
      const put = await site.request('PUT', `${V2}/life`, { body: { title: 'Two' } });
      assert.partialDeepStrictEqual(put.body.data, { title: 'Two', pages: 7 });
      const patch = await site.request('PATCH', `${V2}/life`, {
        body: { pages: 8 },
        headers: { 'if-match': etag },
      });
      assertErrors(patch, 412, 'PreconditionFailedError');
      const fresh = put.headers.get('etag') ?? '';
      const again = await site.request('PATCH', `${V2}/life`, {
        body: { pages: 8 },
        headers: { 'if-match': fresh },
      });
      assert.partialDeepStrictEqual(again.body.data, { title: 'Two', pages: 8 });
      const gone = await site.request('DELETE', `${V2}/life`);
      assert.deepEqual([gone.status, gone.body], [202, { data: 'ok' }]);
      assertErrors(await site.request('GET', `${V2}/life`), 404, 'DoesNotExistError');
    });

    test('an ETag of a write is the one that a read shows, after every kind of write', async () => {
      const made = await site.request('POST', '/api/resource/Note', { body: { name: 'tagged', title: 'x' } });
      for (const reply of [
        made,
        await site.request('PUT', '/api/resource/Note/tagged', { body: { title: 'y' } }),
        await site.request('PUT', '/api/resource/Note/tagged', { body: { docstatus: 1 } }),
        await site.request('PUT', '/api/resource/Note/tagged', { body: { docstatus: 2 } }),
      ]) {
        assert.equal(reply.status, 200, reply.text);
        assert.match(reply.headers.get('etag') ?? '', /^"\d+"$/);
      }
      const stale = made.headers.get('etag') ?? '';
      const read = await site.request('GET', '/api/resource/Note/tagged', {
        headers: { 'if-none-match': stale },
      });
      assert.equal(read.status, 200);
      const last = await site.request('PUT', '/api/resource/Note/alpha', { body: { title: 'T alpha' } });
      assert.equal(
        (await site.request('GET', '/api/resource/Note/alpha')).headers.get('etag'),
        last.headers.get('etag'),
      );
    });

    test('frappe-ui useList: start, limit, has_next_page', async () => {
      const query = (more: string) =>
        site.request('GET', `${V2}?order_by=name asc&filters={"title":["like","T %25"]}&${more}`);
      assert.deepEqual((await query('limit=2')).body, {
        data: [{ name: 'alpha' }, { name: 'beta' }],
        has_next_page: true,
      });
      assert.deepEqual((await query('limit=2&start=2')).body, {
        data: [{ name: 'gamma' }],
        has_next_page: false,
      });
      assert.deepEqual((await query('limit=3')).body.has_next_page, false);
      assert.deepEqual((await query('limit=1&as_dict=false')).body, {
        data: [['alpha']],
        has_next_page: true,
      });
      assert.equal((await query('')).body.data.length, 3);
      assertErrors(await query('limit=many'), 417, 'ValidationError');
      assertErrors(await query('fields=["nope"]'), 417, 'DataError');
    });

    test('a name is honoured, also where the doctype makes names', async () => {
      const made = await site.request('POST', '/api/v2/document/Comment', {
        body: { name: 'my-name', reference_doctype: 'Note', reference_name: 'alpha', content: 'x' },
      });
      assert.equal(made.body.data?.name, 'my-name', made.text);
    });

    test('names with slashes and percent signs; a document that is called like a part of the interface', async () => {
      for (const name of ['a/b', '50% off', 'x/copy', 'x/method/summary']) {
        await make(name, { title: name });
        const path = `${V2}/${encodeURIComponent(name)}`;
        assert.equal((await site.request('GET', path)).body.data.name, name);
        const result = await site.request('GET', `${path}/method/summary`);
        assert.equal(result.body.data, `${name}: ${name} `);
        assert.equal((await site.request('DELETE', path)).status, 202);
      }
      await make('a/b', { title: 'raw' });
      assert.equal((await site.request('GET', `${V2}/a/b`)).body.data.title, 'raw');
    });

    test('copy: what a new document would hold, unsaved', async () => {
      const { status, body } = await site.request('GET', `${V2}/alpha/copy`);
      assert.equal(status, 200);
      assert.partialDeepStrictEqual(body.data, { title: 'T alpha', docstatus: 0, doctype: 'Note' });
      for (const key of ['name', 'owner', 'creation', 'modified']) assert.ok(!(key in body.data), key);
      assert.partialDeepStrictEqual(body.data.lines, [{ text: 'row', doctype: 'Note Line' }]);
      assert.ok(!('name' in body.data.lines[0]));
      const copied = await site.request('GET', `${V2}/alpha/copy`, { as: reader });
      assert.ok(!copied.text.includes('secret'), 'a field above the level of the user');
      assertErrors(await site.request('GET', `${V2}/absent/copy`), 404, 'DoesNotExistError');
    });

    test('methods: data instead of message; unknown ones and wrong verbs in the errors', async () => {
      assert.deepEqual((await site.request('GET', '/api/v2/method/ping')).body, { data: 'pong' });
      const list = await site.request('GET', '/api/v2/method/frappe.client.get_list?doctype=Note&limit=1');
      assert.equal(list.body.data.length, 1);
      assert.deepEqual((await site.request('GET', '/api/v2/method/notes.nothing')).body, {});
      assertErrors(await site.request('GET', '/api/v2/method/no.such'), 404, 'DoesNotExistError');
      assertErrors(
        await site.request('GET', '/api/v2/method/frappe.client.insert'),
        405,
        'MethodNotAllowedError',
      );
      assertErrors(await site.request('GET', '/api/v2/nowhere'), 404, 'DoesNotExistError');
      assertErrors(
        await site.request('POST', V2, { body: '{broken', headers: { 'content-type': 'application/json' } }),
        400,
        'BadRequestError',
      );
      assertErrors(await site.request('GET', V2, { as: 'token bad:key' }), 401, 'AuthenticationError');
      assertErrors(await site.request('GET', V2, { as: null }), 403, 'PermissionError');
      assertErrors(await site.request('POST', `${V2}/alpha`, { body: {} }), 405, 'MethodNotAllowedError');
      const broken = await site.request('POST', V2, { body: { name: 'broken', title: 'broken' } });
      assertErrors(broken, 500, 'InternalServerError');
      assertErrors(
        await site.request('POST', V2, { body: { name: 'r', title: 'refused' } }),
        417,
        'ValidationError',
      );
    });

    test('meta and count', async () => {
      await site.request('POST', '/api/resource/Custom Field', {
        body: { dt: 'Note', fieldname: 'extra', label: 'Extra', fieldtype: 'Data', insert_after: 'title' },
      });
      const meta = await site.request('GET', '/api/v2/doctype/Note/meta', { as: reader });
      assert.equal(meta.status, 200, meta.text);
      const names = meta.body.data.fields.map((field: { fieldname: string }) => field.fieldname);
      assert.deepEqual(names.slice(0, 3), ['title', 'extra', 'body']);
      assertErrors(
        await site.request('GET', '/api/v2/doctype/Webhook/meta', { as: reader }),
        403,
        'PermissionError',
      );
      assertErrors(await site.request('GET', '/api/v2/doctype/Nope/meta'), 404, 'DoesNotExistError');
      const count = await site.request(
        'GET',
        '/api/v2/doctype/Note/count?filters={"pages":[">",1],"title":["like","T %25"]}',
      );
      assert.deepEqual(count.body, { data: 2 });
      const nobody = await site.createUser('nobody@example.com', []);
      assertErrors(
        await site.request('GET', '/api/v2/doctype/Note/count', { as: nobody }),
        403,
        'PermissionError',
      );
    });

    test('bulk: each document for itself, with what failed and why', async () => {
      for (const name of ['b1', 'b2', 'b3']) await make(name, { title: name });
      const docs = [
        { name: 'b1', pages: 11 },
        { name: 'absent', pages: 12 },
        { name: 'b2', title: 'refused' },
        { name: 'b3', title: 'broken' },
      ];
      const updated = await site.request('POST', `${V2}/bulk_update`, { body: { docs } });
      assert.equal(updated.status, 200, updated.text);
      assert.partialDeepStrictEqual(updated.body.data, {
        updated: ['b1'],
        total: 4,
        success_count: 1,
        failure_count: 3,
      });
      assert.deepEqual(
        updated.body.data.failed.map((one: { name: string; error: string }) => one.name),
        ['absent', 'b2', 'b3'],
      );
      assert.ok(!updated.text.includes('canary'));
      assert.equal((await site.request('GET', `${V2}/b1`)).body.data.pages, 11);

      const byDoctype = docs.slice(0, 2).map((doc) => ({ doctype: 'Note', ...doc, grade: 'mass' }));
      const asWriter = await site.request('POST', '/api/v2/method/bulk_update', {
        body: { docs: byDoctype },
        as: writer,
      });
      assert.deepEqual(asWriter.body.data.updated, [{ doctype: 'Note', name: 'b1' }]);
      assert.ok(
        !('grade' in (await site.request('GET', `${V2}/b1`)).body.data),
        'above the level of the user',
      );

      const refused = await site.request('POST', `${V2}/bulk_delete`, {
        body: { names: ['b1'] },
        as: reader,
      });
      assertErrors(refused, 403, 'PermissionError');
      const deleted = await site.request('POST', `${V2}/bulk_delete`, {
        body: { names: ['b1', 'b2', 'absent'] },
      });
      assert.partialDeepStrictEqual(deleted.body.data, { deleted: ['b1', 'b2'], failure_count: 1 });
      const rest = await site.request('POST', '/api/v2/method/bulk_delete', {
        body: { docs: [{ doctype: 'Note', name: 'b3' }] },
      });
      assert.deepEqual(rest.body.data.deleted, [{ doctype: 'Note', name: 'b3' }]);
      const tooMany = Array.from({ length: 501 }, (_, index) => `n${index}`);
      for (const names of [tooMany, 'x', {}, [1, {}], undefined]) {
        assertErrors(
          await site.request('POST', `${V2}/bulk_delete`, { body: { names } }),
          417,
          'ValidationError',
        );
      }
    });

    test('a bulk request with a key does each document once', async () => {
      await make('once', { title: 'once', pages: 1 });
      const send = () =>
        site.request('POST', `${V2}/bulk_delete`, {
          body: { names: ['once', 'never'] },
          headers: { 'idempotency-key': 'b' },
        });
      const [first, second] = [await send(), await send()];
      assert.deepEqual(first.body.data.deleted, ['once']);
      assert.deepEqual(second.body, first.body);
    });

    test('run_method: GET needs read, POST needs write, and only what is declared can be called', async () => {
      const run = (verb: string, method: string, as?: string, body?: unknown) =>
        site.request(verb, `/api/resource/Note/alpha?run_method=${method}`, {
          ...(as ? { as } : {}),
          ...(body === undefined ? {} : { body }),
        });
      assert.deepEqual((await run('GET', 'summary&mark=!', reader)).body, { data: 'alpha: T alpha !' });
      const posted = await site.request('POST', '/api/resource/Note/alpha', {
        body: { run_method: 'summary', mark: '?' },
      });
      assert.deepEqual(posted.body, { data: 'alpha: T alpha ?' });
      assertEnvelope(await run('POST', 'summary', reader), 403, 'PermissionError');
      assertEnvelope(await run('POST', 'add_comment', reader, { text: 'x' }), 403, 'PermissionError');
      assertEnvelope(await run('GET', 'double', writer), 405, 'MethodNotAllowedError');
      assert.equal((await run('POST', 'double', writer)).body.data.pages, 2);
      assert.ok(!(await run('GET', 'itself', reader)).text.includes('secret'));
      for (const method of ['validate', 'constructor', '__proto__', 'toString', 'delete']) {
        assertEnvelope(await run('POST', method), 404, 'DoesNotExistError');
      }
      assertEnvelope(
        await site.request('POST', '/api/resource/Note/alpha', { body: {} }),
        405,
        'MethodNotAllowedError',
      );
      assertEnvelope(
        await site.request('GET', '/api/resource/Note/absent?run_method=summary'),
        404,
        'DoesNotExistError',
      );
      const second = await site.request('POST', `${V2}/alpha/method/summary`, { body: {} });
      assert.deepEqual(second.body, { data: 'alpha: T alpha ' });
      assertErrors(
        await site.request('POST', `${V2}/alpha/method/nope`, { body: {} }),
        404,
        'DoesNotExistError',
      );
    });

    test('submit, cancel, rename and add_comment are there on every document', async () => {
      await make('always', { title: 'x' });
      const run = (name: string, method: string, args: Record<string, unknown> = {}) =>
        site.request('POST', `/api/resource/Note/${name}?run_method=${method}`, { body: args, as: writer });
      assert.equal((await run('always', 'rename', { name: 'renamed' })).body.data, 'renamed');
      const comment = await run('renamed', 'add_comment', { comment_type: 'Comment', text: 'hello' });
      assert.partialDeepStrictEqual(comment.body.data, {
        content: 'hello',
        comment_email: 'writer@example.com',
      });
      assert.equal((await run('renamed', 'submit')).body.data.docstatus, 1);
      assert.equal((await run('renamed', 'cancel')).body.data.docstatus, 2);
      assertEnvelope(await run('renamed', 'submit'), 417, 'ValidationError');
      assertEnvelope(await run('renamed', 'rename'), 417, 'ValidationError');
    });
  });
}
