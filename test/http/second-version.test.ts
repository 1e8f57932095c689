/** `/api/v2`, as the data-fetching layer of frappe-ui uses it, and methods of documents in both versions. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { defineDocumentMethod } from '../../src/document/verbs/method.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { defineApp, defineController } from '../../src/site/app.ts';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import { type Row, scenario } from '../support/scenario.ts';
import { assertErrors } from '../support/wire.ts';

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
        nothing: defineDocumentMethod({ http: ['GET'], run: () => null }),
        unset: defineDocumentMethod({ http: ['GET'], run: () => ({ one: null }) }),
      },
    }),
  },
});

const SITE = {
  apps: [notes, methods],
  users: { reader: ['Note Reader'], writer: ['Note Writer'], nobody: [] },
};
const NOTES = '/api/v2/document/Note';
const V1 = '/api/resource/Note';
const broken = { body: '{broken', headers: { 'content-type': 'application/json' } };
const custom = { dt: 'Note', fieldname: 'extra', label: 'Extra', fieldtype: 'Data', insert_after: 'title' };

describeEither('the second version', SITE, (site) => {
  before(async () => {
    for (const [name, pages] of Object.entries({ alpha: 1, beta: 2, gamma: 3 })) {
      await make(name, { title: `T ${name}`, pages, grade: 'secret', lines: [{ text: 'row' }] });
    }
  });

  const make = (name: string, fields: object) => site.ok('POST', NOTES, { body: { name, ...fields } });

  test('frappe-ui useDoc: read, change with PUT and PATCH, delete', async () => {
    await make('life', { title: 'One', pages: 7 });
    const path = `${NOTES}/life`;
    const read = await site.request('GET', path);
    assert.partialDeepStrictEqual(read.body.data, { name: 'life', title: 'One', doctype: 'Note' });
    const etag = read.headers.get('etag') ?? '';
    assert.equal((await site.request('GET', path, { headers: { 'if-none-match': etag } })).status, 304);
    const put = await site.request('PUT', path, { body: { title: 'Two' } });
    assert.partialDeepStrictEqual(put.body.data, { title: 'Two', pages: 7 });
    const patch = (match: string) =>
      site.request('PATCH', path, { body: { pages: 8 }, headers: { 'if-match': match } });
    assertErrors(await patch(etag), 'PreconditionFailedError');
    const again = await patch(put.headers.get('etag') ?? '');
    assert.partialDeepStrictEqual(again.body.data, { title: 'Two', pages: 8 });
    const gone = await site.request('DELETE', path);
    assert.deepEqual([gone.status, gone.body], [202, { data: 'ok' }]);
    assertErrors(await site.request('GET', path), 'DoesNotExistError');
  });

  test('an ETag of a write is the one that a read shows, after every kind of write', async () => {
    const path = `${V1}/tagged`;
    const made = await site.request('POST', V1, { body: { name: 'tagged', title: 'x' } });
    const replies = [made];
    for (const body of [{ title: 'y' }, { docstatus: 1 }, { docstatus: 2 }])
      replies.push(await site.request('PUT', path, { body }));
    for (const reply of replies) {
      assert.equal(reply.status, 200, reply.text);
      assert.match(reply.headers.get('etag') ?? '', /^"\d+"$/);
    }
    const stale = made.headers.get('etag') ?? '';
    await site.ok('GET', path, { headers: { 'if-none-match': stale } });
    const last = await site.request('PUT', `${V1}/alpha`, { body: { title: 'T alpha' } });
    const read = await site.request('GET', `${V1}/alpha`);
    assert.equal(read.headers.get('etag'), last.headers.get('etag'));
  });

  const list = (more: string, answer: Partial<Row>): Row => {
    const request = `GET ${NOTES}?order_by=name asc&filters={"title":["like","T %25"]}&${more}`;
    return { request, ...answer };
  };
  const [alpha, beta, gamma] = ['alpha', 'beta', 'gamma'].map((name) => ({ name }));
  const get = (path: string, answer: Partial<Row>): Row => ({ request: `GET /api/v2/${path}`, ...answer });
  scenario(site, [
    {
      title: 'frappe-ui useList: start, limit, has_next_page',
      ...list('limit=2', { expect: { data: [alpha, beta], has_next_page: true } }),
    },
    list('limit=2&start=2', { expect: { data: [gamma], has_next_page: false } }),
    list('limit=3', { expect: { has_next_page: false } }),
    list('limit=1&as_dict=false', { expect: { data: [['alpha']], has_next_page: true } }),
    list('', { expect: { data: [alpha, beta, gamma] } }),
    list('limit=many', { error: 'ValidationError' }),
    list('fields=["nope"]', { error: 'DataError' }),

    {
      title: 'a name is honoured, also where the doctype makes names',
      request: 'POST /api/v2/document/Comment',
      body: { name: 'my-name', reference_doctype: 'Note', reference_name: 'alpha', content: 'x' },
      expect: { data: { name: 'my-name' } },
    },

    { title: 'methods: data instead of message', ...get('method/ping', { expect: { data: 'pong' } }) },
    get('method/frappe.client.get_list?doctype=Note&limit=1', { expect: { data: [{}] } }),
    get('method/notes.nothing', { expect: { data: undefined } }),

    { title: 'unknown methods and wrong verbs', ...get('method/no.such', { error: 'DoesNotExistError' }) },
    get('method/frappe.client.insert', { error: 'MethodNotAllowedError' }),
    get('nowhere', { error: 'DoesNotExistError' }),
    { request: `POST ${NOTES}`, ...broken, error: 'BadRequestError' },
    get('document/Note', { as: 'token bad:key', error: 'AuthenticationError' }),
    get('document/Note', { as: null, error: 'PermissionError' }),
    { request: `POST ${NOTES}/alpha`, body: {}, error: 'MethodNotAllowedError' },
    { request: `POST ${NOTES}`, body: { name: 'r', title: 'refused' }, error: 'ValidationError' },
    {
      title: 'a bug of a hook is not told',
      request: `POST ${NOTES}`,
      body: { name: 'broken', title: 'broken' },
      error: 'InternalServerError',
      status: 500,
      says: /^(?!.*canary)/s,
    },

    { title: 'meta and count', request: 'POST /api/resource/Custom Field', body: custom },
    get('doctype/Webhook/meta', { as: 'reader', error: 'PermissionError' }),
    get('doctype/Nope/meta', { error: 'DoesNotExistError' }),
    get('doctype/Note/count?filters={"pages":[">",1],"title":["like","T %25"]}', { expect: { data: 2 } }),
    get('doctype/Note/count', { as: 'nobody', error: 'PermissionError' }),
  ]);

  test('meta has custom fields in their place', async () => {
    const { fields } = await site.ok('GET', '/api/v2/doctype/Note/meta', { as: 'reader' });
    const names = fields.map((field: { fieldname: string }) => field.fieldname);
    assert.deepEqual(names.slice(0, 3), ['title', 'extra', 'body']);
  });

  test('names with slashes and percent signs; a document that is called like a part of the interface', async () => {
    for (const name of ['a/b', '50% off', 'x/copy', 'x/method/summary']) {
      await make(name, { title: name });
      const path = `${NOTES}/${encodeURIComponent(name)}`;
      assert.equal((await site.ok('GET', path)).name, name);
      assert.equal(await site.ok('GET', `${path}/method/summary`), `${name}: ${name} `);
      await site.ok('DELETE', path);
    }
    await make('a/b', { title: 'raw' });
    assert.equal((await site.ok('GET', `${NOTES}/a/b`)).title, 'raw');
  });

  test('copy: what a new document would hold, unsaved', async () => {
    const copy = await site.ok('GET', `${NOTES}/alpha/copy`);
    assert.partialDeepStrictEqual(copy, { title: 'T alpha', docstatus: 0, doctype: 'Note' });
    for (const key of ['name', 'owner', 'creation', 'modified']) assert.ok(!(key in copy), key);
    assert.partialDeepStrictEqual(copy.lines, [{ text: 'row', doctype: 'Note Line' }]);
    assert.ok(!('name' in copy.lines[0]));
    const copied = await site.request('GET', `${NOTES}/alpha/copy`, { as: 'reader' });
    assert.ok(!copied.text.includes('secret'), 'a field above the level of the user');
    assertErrors(await site.request('GET', `${NOTES}/absent/copy`), 'DoesNotExistError');
  });

  test('copy: lists of a definition that are not rows stay as they are', async () => {
    const states = [null, 'a', { name: 'kept', owner: 'kept' }];
    await site.ok('POST', '/api/resource/DocType', {
      body: { name: 'Listed', custom: 1, fields: [], states },
    });
    const { states: copied } = await site.ok('GET', '/api/v2/document/DocType/Listed/copy');
    assert.deepEqual(copied, states);
  });

  const docs = [
    { name: 'b1', pages: 11 },
    { name: 'absent', pages: 12 },
    { name: 'b2', title: 'refused' },
    { name: 'b3', title: 'broken' },
  ];
  const byDoctype = docs.slice(0, 2).map((doc) => ({ doctype: 'Note', ...doc, grade: 'mass' }));
  const tooMany = Array.from({ length: 501 }, (_, index) => `n${index}`);
  const remove = (names: unknown, answer: Partial<Row>): Row => {
    return { request: `POST ${NOTES}/bulk_delete`, body: { names }, ...answer };
  };
  scenario(site, [
    ...['b1', 'b2', 'b3'].map((name, index) => ({
      ...(index === 0 && { title: 'bulk: each document for itself, with what failed and why' }),
      request: `POST ${NOTES}`,
      body: { name, title: name },
    })),
    {
      request: `POST ${NOTES}/bulk_update`,
      body: { docs },
      expect: {
        data: {
          updated: ['b1'],
          failed: [{ name: 'absent' }, { name: 'b2' }, { name: 'b3' }],
          total: 4,
          success_count: 1,
          failure_count: 3,
        },
      },
      says: /^(?!.*canary)/s,
    },
    { request: `GET ${NOTES}/b1`, expect: { data: { pages: 11 } } },
    {
      request: 'POST /api/v2/method/bulk_update',
      as: 'writer',
      body: { docs: byDoctype },
      expect: { data: { updated: [{ doctype: 'Note', name: 'b1' }] } },
    },
    // Above the level of the user.
    { request: `GET ${NOTES}/b1`, expect: { data: { grade: undefined } } },
    remove(['b1'], { as: 'reader', error: 'PermissionError' }),
    remove(['b1', 'b2', 'absent'], { expect: { data: { deleted: ['b1', 'b2'], failure_count: 1 } } }),
    {
      request: 'POST /api/v2/method/bulk_delete',
      body: { docs: [{ doctype: 'Note', name: 'b3' }] },
      expect: { data: { deleted: [{ doctype: 'Note', name: 'b3' }] } },
    },
    ...[tooMany, 'x', {}, [1, {}], undefined].map((names) => remove(names, { error: 'ValidationError' })),
  ]);

  test('a bulk request with a key does each document once', async () => {
    await make('once', { title: 'once', pages: 1 });
    const body = { names: ['once', 'never'] };
    const send = () =>
      site.request('POST', `${NOTES}/bulk_delete`, { body, headers: { 'idempotency-key': 'b' } });
    const [first, second] = [await send(), await send()];
    assert.deepEqual(first.body.data.deleted, ['once']);
    assert.deepEqual(second.body, first.body);
  });

  const run = (verb: string, method: string, answer: Partial<Row>): Row => {
    return { request: `${verb} ${V1}/alpha?run_method=${method}`, ...answer };
  };
  const always = (name: string, method: string, answer: Partial<Row>): Row => {
    return { request: `POST ${V1}/${name}?run_method=${method}`, as: 'writer', body: {}, ...answer };
  };
  scenario(site, [
    {
      title: 'run_method: GET needs read, POST needs write, and only what is declared can be called',
      ...run('GET', 'summary&mark=!', { as: 'reader', expect: { data: 'alpha: T alpha !' } }),
    },
    {
      request: `POST ${V1}/alpha`,
      body: { run_method: 'summary', mark: '?' },
      expect: { data: 'alpha: T alpha ?' },
    },
    run('POST', 'summary', { as: 'reader', error: 'PermissionError' }),
    run('POST', 'add_comment', { as: 'reader', body: { text: 'x' }, error: 'PermissionError' }),
    run('GET', 'double', { as: 'writer', error: 'MethodNotAllowedError' }),
    run('POST', 'double', { as: 'writer', expect: { data: { pages: 2 } } }),
    run('GET', 'itself', { as: 'reader', expect: { data: { due: null } }, says: /^(?!.*secret)/s }),
    run('GET', 'nothing', { expect: { data: null } }),
    run('GET', 'unset', { expect: { data: { one: null } } }),
    ...['validate', 'constructor', '__proto__', 'toString', 'delete'].map((method) =>
      run('POST', method, { error: 'DoesNotExistError' }),
    ),
    { request: `POST ${V1}/alpha`, body: {}, error: 'MethodNotAllowedError' },
    { request: `GET ${V1}/absent?run_method=summary`, error: 'DoesNotExistError' },
    { request: `POST ${NOTES}/alpha/method/summary`, body: {}, expect: { data: 'alpha: T alpha ' } },
    { request: `POST ${NOTES}/alpha/method/nope`, body: {}, error: 'DoesNotExistError' },

    {
      title: 'submit, cancel, rename and add_comment are there on every document',
      request: `POST ${NOTES}`,
      body: { name: 'always', title: 'x' },
    },
    always('always', 'rename', { body: { name: 'renamed' }, expect: { data: 'renamed' } }),
    always('renamed', 'add_comment', {
      body: { comment_type: 'Comment', text: 'hello' },
      expect: { data: { content: 'hello', comment_email: 'writer@example.com' } },
    }),
    always('renamed', 'submit', { expect: { data: { docstatus: 1 } } }),
    always('renamed', 'cancel', { expect: { data: { docstatus: 2 } } }),
    always('renamed', 'submit', { error: 'ValidationError' }),
    always('renamed', 'rename', { error: 'ValidationError' }),
  ]);
});
