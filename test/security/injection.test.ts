/** Text that means something to SQL, in every place of a request where a name, an operator or an order may stand. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeSite } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import type { TestReply } from '../support/site.ts';

/** What would end a name or a statement, begin another, or call what a database has. */
const PIECES = [
  "title' or '1'='1",
  'title" or "1"="1',
  '`title` or 1=1',
  'title)) or 1=1 --',
  'title; drop table "Note"; --',
  'title/**/union/**/select/**/secret_digest/**/from/**/_api_key',
  '(select secret_digest from "_api_key" limit 1)',
  'name asc, (select 1)',
  'case when 1=1 then name else title end',
  'sleep(5)',
  'pg_sleep(5)',
  "load_extension('x')",
  'randomblob(1000000000)',
  '1 into outfile "/tmp/x"',
  "title' collate nocase",
  'title->>0',
  "title#>'{a}'",
  'title::text',
  '"_revision"',
  'rowid',
  'ctid',
  'sqlite_version()',
  '\\"title',
  'title\u02bc or \u02bc1\u02bc=\u02bc1',
] as const;

/** Where the text goes: the parameters of a list. */
const NAMES: Readonly<Record<string, (text: string) => Record<string, unknown>>> = {
  fields: (text) => ({ fields: [text] }),
  'an alias': (text) => ({ fields: [`name as ${text}`] }),
  'an alias of an object': (text) => ({ fields: [{ COUNT: 'name', as: text }] }),
  'an aggregate': (text) => ({ fields: [`sum(${text})`] }),
  'an aggregate’s name': (text) => ({ fields: [{ [text]: 'name' }] }),
  'a filter’s field': (text) => ({ filters: [[text, '=', 'x']] }),
  'a filter’s key': (text) => ({ filters: { [text]: 'x' } }),
  'a filter’s operator': (text) => ({ filters: [['title', text, 'x']] }),
  'a filter’s doctype': (text) => ({ filters: [[text, 'title', '=', 'x']] }),
  'a word between filters': (text) => ({ filters: [['title', '=', 'x'], text, ['title', '=', 'y']] }),
  or_filters: (text) => ({ or_filters: { [text]: 'x' } }),
  order_by: (text) => ({ order_by: text }),
  'a direction': (text) => ({ order_by: `title ${text}` }),
  group_by: (text) => ({ fields: ['count(name)'], group_by: text }),
  expand: (text) => ({ fields: ['name'], expand: [text] }),
  'a child’s field': (text) => ({ fields: [`lines.${text}`] }),
  'a link’s field': (text) => ({ fields: [`related.${text}`] }),
  'a cursor': (text) => ({ include: 'cursor', after: text }),
  limit_start: (text) => ({ limit_start: text }),
  limit_page_length: (text) => ({ limit_page_length: text }),
  timespan: (text) => ({ filters: [['due', 'timespan', text]] }),
  previous: (text) => ({ filters: [['due', 'previous', text]] }),
  'the bounds of between': (text) => ({ filters: [['due', 'between', [text, text]]] }),
};

// The answers repeat what was sent, which holds words of SQL; what the database says is in none of them.
function harmless({ status, text }: TestReply, what: string): void {
  assert.ok(status < 500, `${what}: ${status} ${text}`);
  assert.doesNotMatch(text, /SQLITE_|syntax error|no such (column|table|function)|42\d{3}/, what);
}

function refused(reply: TestReply, what: string): void {
  harmless(reply, what);
  assert.ok(reply.status >= 400, `${what}: ${reply.status} ${reply.text}`);
}

describeSite('injection', { apps: [notes] }, (site) => {
  before(async () => {
    for (const name of ['one', 'two']) {
      await site.make('Note', { name, title: name });
    }
  });
  after(async () => {
    const unexpected = site.observed.filter(({ kind }) => kind === 'unexpected');
    assert.deepEqual(unexpected, []);
  });

  const list = (parameters: Record<string, unknown>): Promise<TestReply> => {
    const texts = Object.entries(parameters).map(([key, value]): [string, string] => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    return site.request('GET', `/api/resource/Note?${new URLSearchParams(texts)}`);
  };

  test('no text where a name belongs is taken for one', async () => {
    for (const [where, parameters] of Object.entries(NAMES)) {
      for (const text of PIECES) {
        // A word is a name like any other for what the request itself names.
        if (where.startsWith('an alias') && /^\w+$/.test(text)) continue;
        const reply = await list(parameters(text));
        refused(reply, `${text} as ${where}`);
        const method = where === 'a cursor' ? 'frappe.client.get_list' : 'frappe.client.get_count';
        const other = await site.request('POST', `/api/method/${method}`, {
          body: { doctype: 'Note', ...parameters(text) },
        });
        harmless(other, `${text} as ${where} of ${method}`);
      }
    }
  });

  test('text where a value belongs is compared and nothing else', async () => {
    for (const text of PIECES) {
      for (const operator of ['=', 'like', 'in', '>', 'not like']) {
        const reply = await list({ filters: [['title', operator, text]], limit_page_length: 5 });
        assert.equal(reply.status, 200, reply.text);
        if (['=', 'in', 'like'].includes(operator)) assert.deepEqual(reply.body.data, [], text);
      }
      const found = await site.request('POST', '/api/method/frappe.desk.search.search_link', {
        body: { doctype: 'Note', txt: text, searchfield: text },
      });
      assert.deepEqual(found.body.message, [], text);
    }
  });

  test('keys of documents and of bulk changes are fields or nothing', async () => {
    for (const text of PIECES) {
      const doc = { doctype: 'Note', name: 'one', [text]: 'x' };
      for (const [method, body] of [
        ['bulk_update', { docs: [doc] }],
        ['frappe.client.bulk_update', { docs: [{ ...doc, docname: 'one' }] }],
        ['frappe.client.set_value', { doctype: 'Note', name: 'one', fieldname: text, value: 'x' }],
        ['frappe.client.set_value', { doctype: 'Note', name: 'one', fieldname: { [text]: 'x' } }],
        ['frappe.client.get_value', { doctype: 'Note', filters: 'one', fieldname: text }],
        ['frappe.client.validate_link', { doctype: 'Note', docname: 'one', fields: [text] }],
      ] as const) {
        harmless(await site.request('POST', `/api/method/${method}`, { body }), `${text} to ${method}`);
      }
    }
    const { data } = (await site.request('GET', '/api/resource/Note/one')).body;
    assert.equal(data.title, 'one');
  });

  test('a doctype is one of the site’s: no table of the database is reached by its name', async () => {
    const tables = ['_api_key', '_session', '_password', '_secret', 'sqlite_master', 'pg_class', 'pg_authid'];
    const hostile = ['Note" --', "Note' or '1'='1", 'Note; drop table "Note"', 'tabNote', '*', 'note'];
    for (const doctype of [...tables, ...hostile]) {
      const path = `/api/resource/${encodeURIComponent(doctype)}`;
      assert.equal((await site.request('GET', path)).status, 404, doctype);
      assert.equal((await site.request('POST', path, { body: { name: 'x' } })).status, 404, doctype);
      const linked = await list({ filters: [[doctype, 'name', '=', 'x']] });
      refused(linked, doctype);
    }
    assert.equal((await list({})).body.data.length, 2);
  });
});
