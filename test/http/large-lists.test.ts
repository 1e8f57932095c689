/** Lists larger than the server holds in memory: they come whole, in pieces, or are refused; never short. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { readContext } from '../../src/document/context.ts';
import { listDocuments, listDocumentsText } from '../../src/document/list/list.ts';
import { listPage } from '../../src/document/list/list-page.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { describeEngines, useStarted } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { startTestSite } from '../support/site.ts';

const MAX_BYTES = 40_000;
/** More than a piece has, so that each comes alone. */
const BODY = 'é"\n'.repeat(1_500);
const SHEETS = 20;
/** Small ones, of which a piece has many. */
const NOTES = 400;

interface Sheet {
  readonly name: string;
  readonly body: string;
}

const nameOf = (index: number) => `sheet ${String(index).padStart(3, '0')}`;
const sheets = (start: number, end: number): Sheet[] =>
  Array.from({ length: end - start }, (_, at) => ({ name: nameOf(start + at), body: BODY + (start + at) }));

const DOCTYPES = [
  { name: 'Sheet Row', custom: 1, istable: 1, fields: [{ fieldname: 'note', fieldtype: 'Long Text' }] },
  {
    name: 'Sheet',
    custom: 1,
    autoname: 'field:title',
    fields: [
      { fieldname: 'title', fieldtype: 'Data' },
      { fieldname: 'body', fieldtype: 'Long Text' },
      { fieldname: 'rows', fieldtype: 'Table', options: 'Sheet Row' },
    ],
  },
  { name: 'Jot', custom: 1, autoname: 'field:title', fields: [{ fieldname: 'title', fieldtype: 'Data' }] },
];

describeEngines('lists larger than memory', (engine) => {
  const lists = { ...DEFAULT_CONFIG.lists, maxBytes: MAX_BYTES };
  const site = useStarted(() => startTestSite(engine, { config: { lists } }));
  before(async () => {
    for (const body of DOCTYPES) {
      await site.make('DocType', body);
    }
    await unitOfWork(site.site, ADMINISTRATOR, async (ctx) => {
      for (const { name, body } of sheets(0, SHEETS)) {
        await createDocument(ctx, 'Sheet', { title: name, body, rows: [{ note: BODY }] });
      }
      for (let at = 0; at < NOTES; at += 1) {
        await createDocument(ctx, 'Jot', { title: `${String(at).padStart(4, '0')} ${'x'.repeat(100)}` });
      }
    });
  });

  const fields = '["name","body"]';
  const order_by = 'name asc';
  const get = async (path: string, parameters: Record<string, string>) => {
    const reply = await site.request('GET', `${path}?${new URLSearchParams(parameters)}`);
    assert.equal(reply.status, 200, reply.text.slice(0, 500));
    assert.equal(reply.headers.get('content-length'), null, 'the whole reply was in memory');
    return reply.body;
  };

  const page = { fields, order_by, limit_page_length: '15', limit_start: '2' };
  const wanted = sheets(2, 17);
  for (const [what, path, parameters, shape] of [
    ['a page', '/api/resource/Sheet', page, { data: wanted }],
    ['all documents', '/api/resource/Sheet', { ...page, limit_page_length: '0' }, { data: sheets(2, 20) }],
    [
      'a page and what lies beyond it',
      '/api/resource/Sheet',
      { ...page, include: 'count' },
      { data: wanted, has_next_page: true, count: SHEETS, count_capped: false },
    ],
    [
      'a page of the second version',
      '/api/v2/document/Sheet',
      { fields, order_by, start: '2', limit: '15' },
      { data: wanted, has_next_page: true },
    ],
    ['a method', '/api/method/frappe.client.get_list', { ...page, doctype: 'Sheet' }, { message: wanted }],
    [
      'a method of the second version',
      '/api/v2/method/frappe.client.get_list',
      { ...page, doctype: 'Sheet' },
      { data: wanted },
    ],
    [
      'rows as arrays',
      '/api/resource/Sheet',
      { ...page, as_dict: '0' },
      { data: wanted.map(({ name, body }) => [name, body]) },
    ],
    [
      'columns by other names',
      '/api/resource/Sheet',
      { ...page, fields: '["name","body as text"]' },
      { data: wanted.map(({ name, body }) => ({ name, text: body })) },
    ],
  ] as const) {
    test(`${what} comes whole, in pieces`, async () => {
      assert.deepEqual(await get(path, parameters), shape);
    });
  }

  test('child tables come with their documents', async () => {
    const { data } = await get('/api/resource/Sheet', { ...page, fields: '["name",{"rows":["note"]}]' });
    assert.deepEqual(
      data,
      wanted.map(({ name }) => ({ name, rows: [{ note: BODY }] })),
    );
  });

  test('cursors lead through all of it', async () => {
    const found: Sheet[] = [];
    let after = '';
    for (let pages = 0; pages < 2; pages += 1) {
      const more = after ? { after } : { include: 'cursor' };
      const { limit_start: _start, ...first } = page;
      const body = await get('/api/resource/Sheet', { ...first, limit_page_length: '11', ...more });
      found.push(...body.data);
      assert.equal(body.has_next_page, pages === 0);
      after = body.cursor;
    }
    assert.deepEqual(found, sheets(0, SHEETS));
  });

  test('many small documents come in their order', async () => {
    const parameters = { order_by: 'title desc', fields: '["title"]', limit: '390' };
    const { data } = await get('/api/resource/Jot', parameters);
    assert.deepEqual(
      data.map(({ title }: { title: string }) => Number(title.slice(0, 4))),
      Array.from({ length: 390 }, (_, at) => NOTES - 1 - at),
    );
  });

  test('a list whose rows are no documents, and one that a program asked for, is refused with the limit', async () => {
    for (const parameters of [
      { fields: '["body","count(name) as n"]', group_by: 'body', limit: '20' },
      { fields: '["body"]', distinct: '1', limit: '20' },
      { fields: '["name","rows.note"]', limit: '20' },
    ]) {
      const reply = await site.request('GET', `/api/resource/Sheet?${new URLSearchParams(parameters)}`);
      assert.equal(reply.status, 417, reply.text.slice(0, 200));
      assert.equal(reply.body.exc_type, 'DataError');
      assert.match(reply.body.exception, new RegExp(`larger than ${MAX_BYTES} bytes: ask`));
    }
    const ctx = readContext(site.site, ADMINISTRATOR);
    await refused(listDocuments(ctx, 'Sheet', page), 'DataError', /larger than/);
  });

  test('a document deleted while its page is sent leaves no gap: the next one takes its place', async () => {
    const ctx = readContext(site.site, ADMINISTRATOR);
    const list = await listDocumentsText(ctx, 'Sheet', { ...page, limit_start: '0' });
    const paged = await listPage(ctx, 'Sheet', { ...page, limit_start: '0' });
    assert.ok(typeof list !== 'string' && typeof paged.json !== 'string');
    const iterators = [list[Symbol.asyncIterator](), paged.json[Symbol.asyncIterator]()] as const;
    const texts = [(await iterators[0].next()).value, (await iterators[1].next()).value];
    await unitOfWork(site.site, ADMINISTRATOR, (own) => deleteDocument(own, 'Sheet', nameOf(5)));
    for (const [at, iterator] of iterators.entries()) {
      for (let next = await iterator.next(); !next.done; next = await iterator.next())
        texts[at] += next.value;
    }
    const left = sheets(0, SHEETS).filter(({ name }) => name !== nameOf(5));
    assert.deepEqual(JSON.parse(texts[0] ?? ''), left.slice(0, 15));
    // A page that says whether there are more may be short.
    assert.deepEqual(JSON.parse(texts[1] ?? ''), left.slice(0, 14));
    assert.equal(paged.hasNextPage, true);
  });
});
