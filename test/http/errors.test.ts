/** Malformed input of every kind: a 4xx in the envelope, never a failure of ours, and nothing about our insides. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import { assertEnvelope, assertHarmless, assertRefused } from '../support/wire.ts';

const JUNK: readonly string[] = [
  '[',
  '{',
  '"',
  '{}',
  '[]',
  '[[]]',
  '[[[]]]',
  '[null]',
  '[{}]',
  'null',
  'true',
  '-1',
  '1e400',
  '99999999999999999999',
  '0x10',
  'NaN',
  ' ',
  '*',
  '%',
  "'",
  '";--',
  "' or 1=1 --",
  '["name","=","x","y","z"]',
  '[["name"]]',
  '[["name","=",{"a":1}]]',
  '[["name","=",["a"]]]',
  '[["name","nonsense","x"]]',
  '[["nope","=","x"]]',
  '[["_revision","=","1"]]',
  '[["name","like",null]]',
  '[["name","in",{"a":1}]]',
  '[["pages","between",["x","y"]]]',
  '[["pages","between",[1]]]',
  '[["due","between",["2026-13-45","x"]]]',
  '[["due",">","not a date"]]',
  '[["pages","=","99999999999999999999999"]]',
  '[["pages","=",1.5]]',
  '[["name","is","maybe"]]',
  '[["Nope","name","=","x"]]',
  '[["lines.nope","=","x"]]',
  '[["name","=","\\u0000"]]',
  '[["name","=","\\ud800"]]',
  '{"name":["in",[["a"]]]}',
  '["name; drop table Note"]',
  '["count(*)","sum(name)"]',
  '["name as \\"x\\""]',
  '["`tabNote`.`name`"]',
  'name; drop table "Note"',
  'name desc, (select 1)',
  'modified asc nulls first',
  'a'.repeat(5000),
  '['.repeat(1000),
  `[${'["name","=","x"],'.repeat(200)}["name","=","x"]]`,
  `[["name","in",[${'1,'.repeat(1100)}1]]]`,
  `[["name","like","${'%a'.repeat(700)}"]]`,
];

const VALUES: readonly unknown[] = [
  true,
  -1,
  1.5,
  1e300,
  2 ** 60,
  '',
  ' ',
  '12x',
  'x'.repeat(200),
  'x'.repeat(20_000),
  '2026-02-30',
  '2026-01-01 25:00:00',
  '0000-00-00',
  [],
  [1],
  [[]],
  [null],
  [{ text: { a: 1 } }],
  [{ name: {} }],
  [{ idx: 'x', parent: 5, doctype: 'User' }],
  {},
  { a: 1 },
  { toString: 1 },
];

describeEither('malformed input', { apps: [notes] }, (site) => {
  before(async () => {
    await site.request('POST', '/api/resource/Note', { body: { name: 'n', title: 'T', due: '2026-01-01' } });
  });
  after(() => {
    const bugs = site.observed.filter((one) => one.kind === 'unexpected');
    assert.deepEqual(bugs, []);
  });

  test('list parameters', async () => {
    for (const parameter of [
      'fields',
      'filters',
      'or_filters',
      'order_by',
      'limit_start',
      'limit_page_length',
      'limit',
      'as_dict',
    ]) {
      for (const junk of JUNK) {
        const path = `/api/resource/Note?${parameter}=${encodeURIComponent(junk)}`;
        assertHarmless(await site.request('GET', path), `${parameter}=${junk.slice(0, 60)}`);
      }
    }
  });

  test('what cannot be meant is refused', async () => {
    for (const query of [
      'fields=[',
      'fields=["nope"]',
      'filters=[["nope","=","x"]]',
      'filters=[["name","nonsense","x"]]',
      'filters=[["_revision","=","1"]]',
      'order_by=nope',
      'limit_page_length=abc',
      'limit_page_length=-1',
      'limit_start=-1',
      'limit=1.5',
    ]) {
      assertRefused(await site.request('GET', `/api/resource/Note?${query}`), query);
    }
  });

  test('unreadable and unknown fields cannot be told apart', async () => {
    const as = await site.createUser('blind@example.com', ['Note Reader']);
    const ask = async (query: string) =>
      (await site.request('GET', `/api/resource/Note?${query}`, { as })).text;
    for (const use of [
      (field: string) => `fields=["${field}"]`,
      (field: string) => `filters=[["${field}","=","x"]]`,
      (field: string) => `order_by=${field}`,
    ]) {
      const hidden = await ask(use('grade'));
      assert.match(hidden, /Field not permitted in query: grade/);
      assert.equal(hidden.replaceAll('grade', 'nope'), await ask(use('nope')));
    }
  });

  test('values of documents', async () => {
    for (const field of [
      'name',
      'title',
      'body',
      'pages',
      'due',
      'related',
      'lines',
      'docstatus',
      'modified',
      'data',
    ]) {
      for (const value of VALUES) {
        const body = { name: 'v', title: 'T', [field]: value };
        const what = `${field}=${JSON.stringify(value).slice(0, 60)}`;
        const made = await site.request('POST', '/api/resource/Note', { body });
        assertHarmless(made, `create ${what}`);
        assertHarmless(
          await site.request('PUT', '/api/resource/Note/n', { body: { [field]: value } }),
          `update ${what}`,
        );
        const name = made.body?.data?.name;
        if (typeof name === 'string') {
          await site.request('DELETE', `/api/resource/Note/${encodeURIComponent(name)}`);
        }
      }
    }
  });

  test('names in the path', async () => {
    for (const name of [
      '.',
      '..',
      '%2e%2e',
      '%2E%2E%2Fx',
      '..%2f..%2fetc%2fpasswd',
      '%0a',
      '%09',
      '%7f',
      '%c3%a9',
      '%20',
      '%2F',
      '%F0%9F%98%80',
      "'%20or%201=1--",
      'a'.repeat(1500),
      '%E6%BC%A2'.repeat(300),
    ]) {
      for (const method of ['GET', 'PUT', 'DELETE', 'POST', 'PATCH']) {
        const reply = await site.request(method, `/api/resource/Note/${name}`, {
          body: method === 'PUT' ? { pages: 1 } : undefined,
        });
        assertHarmless(reply, `${method} ${name.slice(0, 40)}`);
      }
      assertHarmless(await site.request('GET', `/api/resource/${name}`), name.slice(0, 40));
      assertHarmless(await site.request('GET', `/api/method/${name}`), name.slice(0, 40));
      assertHarmless(await site.request('GET', `/files/${name}`), name.slice(0, 40));
      assertHarmless(await site.request('GET', `/private/files/${name}`), name.slice(0, 40));
    }
  });

  test('arguments of methods', async () => {
    const methods = [
      'get_list',
      'get_count',
      'get',
      'get_value',
      'set_value',
      'insert',
      'insert_many',
      'save',
      'submit',
      'cancel',
      'delete',
      'rename_doc',
      'get_single_value',
    ];
    const strange: readonly Record<string, unknown>[] = [
      { doctype: 'Note', name: {} },
      { doctype: 'Note', name: 'x\ud800y' },
      { doctype: 'Note', filters: 5, fieldname: 7 },
      { doctype: 'Note', filters: '{', fieldname: '[' },
      { doctype: 'Note', filters: [[[]]], fieldname: [[]] },
      { doctype: 'Note', filters: { name: { a: 1 } }, fieldname: { a: 1 } },
      { doctype: 'Note', name: 'absent', fieldname: 'title', value: 'x' },
      { doctype: 'Note', name: 'n', fieldname: { lines: 'x' } },
      { doctype: 'Note', name: 'n', fieldname: { lines: [[]] } },
      { doctype: 'Note', old_name: 'n', new_name: 'x'.repeat(1000) },
      { doctype: 'Note', old_name: 'absent', new_name: 'x' },
      { doctype: 'Note Line', name: 'absent', fieldname: 'text', value: 'x' },
      { doctype: 'DocType', name: 'Note', fieldname: 'fields', value: 'x' },
      { doc: { doctype: 'Note', name: { a: 1 } } },
      { doc: { doctype: 'Note' } },
      { doc: { doctype: 'Note', name: 'absent' } },
      { doc: { doctype: ['Note'] } },
      { doc: '{"doctype":"Note"' },
      { doc: { doctype: 'Note Line', parent: 'n', parenttype: 'User', parentfield: 'roles' } },
      { doc: { doctype: 'DocType', name: 'Bad', fields: 'x' } },
      { doc: { doctype: 'Webhook', webhook_doctype: 'Note' } },
      { docs: [{}] },
      { docs: '[[]]' },
    ];
    for (const method of methods) {
      for (const body of strange) {
        const what = `${method} ${JSON.stringify(body)}`;
        assertHarmless(await site.request('POST', `/api/method/frappe.client.${method}`, { body }), what);
      }
    }
  });

  test('conflicts are 409, and say which', async () => {
    const create = () => site.request('POST', '/api/resource/Note', { body: { name: 'twice', title: 'T' } });
    assert.equal((await create()).status, 200);
    assertEnvelope(await create(), 'DuplicateEntryError');
  });

  test('several problems arrive together', async () => {
    const reply = await site.request('POST', '/api/resource/Note', { body: { name: 'many', pages: 'x' } });
    assert.equal(reply.status, 417);
    assert.match(reply.text, /Title/);
  });

  test('anything at all, by chance', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom(...JUNK));
    const parameters = fc.dictionary(
      fc.constantFrom(
        'fields',
        'filters',
        'or_filters',
        'order_by',
        'limit_start',
        'limit',
        'as_dict',
        'parent',
        'x',
      ),
      fc.oneof(text, fc.json({ maxDepth: 4 })),
    );
    await fc.assert(
      fc.asyncProperty(parameters, async (wanted) => {
        const query = Object.entries(wanted).map(
          ([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed())}`,
        );
        assertHarmless(await site.request('GET', `/api/resource/Note?${query.join('&')}`));
      }),
      { numRuns: 150 },
    );
    const body = fc.oneof(
      fc.json({ maxDepth: 5 }),
      text,
      fc
        .dictionary(
          fc.constantFrom('title', 'pages', 'due', 'lines', 'related', 'docstatus', 'name'),
          fc.jsonValue(),
        )
        .map((fields) => JSON.stringify(fields)),
    );
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom('POST', 'PUT'), async (sent, method) => {
        const path = method === 'POST' ? '/api/resource/Note' : '/api/resource/Note/n';
        const reply = await site.request(method, path, {
          body: sent.toWellFormed(),
          headers: { 'content-type': 'application/json' },
        });
        assertHarmless(reply, sent);
      }),
      { numRuns: 150 },
    );
  });
});
