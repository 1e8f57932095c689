/** DocType JSON as Frappe's own files and clients have it: loads as it is, and keeps what Chancery has no use for. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sql } from '../../src/db/sql.ts';
import { FIELDTYPES } from '../../src/doctype/fieldtypes/fieldtypes.ts';
import { engineOf } from '../support/describe-site.ts';
import { startTestSite, type TestReply, type TestSite } from '../support/site.ts';

const STAMP = {
  creation: '2013-04-10 11:43:00',
  modified: '2024-02-02 09:21:13.123456',
  modified_by: 'Administrator',
  owner: 'Administrator',
  docstatus: 0,
  idx: 2,
};

/** A list of things to do, in the shape of a file of an app. */
const ERRAND = {
  actions: [{ action: 'errand.reopen', action_type: 'Server Action', group: 'More', label: 'Reopen' }],
  allow_import: 1,
  allow_rename: null,
  autoname: 'hash',
  ...STAMP,
  default_email_template: null,
  doctype: 'DocType',
  document_type: 'Setup',
  engine: 'InnoDB',
  field_order: [
    'description_and_status',
    'status',
    'column_break_2',
    'date',
    'reference_type',
    'reference_name',
  ],
  fields: [
    { fieldname: 'description_and_status', fieldtype: 'Section Break', oldfieldtype: 'Section Break' },
    {
      default: 'Open',
      fieldname: 'status',
      fieldtype: 'Select',
      in_global_search: 1,
      in_list_view: 1,
      in_standard_filter: 1,
      label: 'Status',
      no_copy: 1,
      oldfieldname: 'state',
      oldfieldtype: 'Select',
      options: 'Open\nClosed\nCancelled',
      trigger: null,
    },
    { fieldname: 'column_break_2', fieldtype: 'Column Break', width: '50%', show_dashboard: 0 },
    { fieldname: 'date', fieldtype: 'Date', label: 'Due Date', default: 'Today', precision: '', length: 0 },
    { fieldname: 'reference_type', fieldtype: 'Link', label: 'Reference Type', options: 'DocType' },
    {
      fieldname: 'reference_name',
      fieldtype: 'Dynamic Link',
      label: 'Reference Name',
      options: 'reference_type',
      mandatory_depends_on: 'eval:doc.reference_type',
      permlevel: 1,
    },
  ],
  icon: 'fa fa-check',
  index_web_pages_for_search: 1,
  links: [{ group: 'More', link_doctype: 'Errand', link_fieldname: 'reference_name', is_child_table: 0 }],
  migration_hash: '5f3ab1',
  module: 'Desk',
  name: 'Errand',
  naming_rule: 'Random',
  permissions: [
    { create: 1, delete: 1, email: 1, if_owner: 1, read: 1, role: 'All', share: 1, write: 1, match: null },
    { permlevel: 1, read: 1, role: 'All', write: 0 },
    { create: 1, delete: 1, export: 1, import: 1, read: 1, report: 1, role: 'System Manager', write: 1 },
  ],
  quick_entry: 1,
  row_format: 'Dynamic',
  search_fields: 'status, date',
  sort_field: 'date desc, modified desc',
  sort_order: 'DESC',
  states: [
    { color: 'Blue', title: 'Open', custom: 0 },
    { color: 'Green', title: 'Closed', custom: 0 },
  ],
  title_field: 'status',
  track_changes: 1,
  track_seen: 1,
  __islocal: 1,
  __onload: { load_after: [] },
  _user_tags: 'private,old',
  _comments: '[]',
};

const TARGETS: Readonly<Record<string, string>> = {
  Link: 'User',
  'Dynamic Link': 'f_link',
  Table: 'Errand Row',
  'Table MultiSelect': 'Errand Row',
  Select: '\nOne\nTwo',
};

const scrub = (name: string) => `f_${name.toLowerCase().replaceAll(' ', '_')}`;

/** A field of every type, every naming rule, a child table, a tree and a single. */
const SHAPES = [
  {
    ...STAMP,
    doctype: 'DocType',
    name: 'Errand Row',
    module: 'Desk',
    istable: 1,
    editable_grid: 1,
    engine: 'InnoDB',
    fields: [{ fieldname: 'user', fieldtype: 'Link', options: 'User', in_list_view: 1, columns: 2 }],
    permissions: [],
    actions: [],
    links: [],
    states: [],
    sort_field: 'modified',
    sort_order: 'DESC',
  },
  {
    ...STAMP,
    doctype: 'DocType',
    name: 'Everything',
    module: 'Desk',
    autoname: 'format:EV-{f_data}-{####}',
    fields: [...FIELDTYPES.keys()].map((fieldtype) => ({
      fieldname: scrub(fieldtype),
      fieldtype,
      label: fieldtype,
      options: TARGETS[fieldtype] ?? null,
      default: null,
      description: null,
      fetch_from: null,
      bold: 0,
    })),
    permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
  },
  {
    ...STAMP,
    doctype: 'DocType',
    name: 'Errand Settings',
    module: 'Desk',
    issingle: 1,
    fields: [{ fieldname: 'enabled', fieldtype: 'Check', default: '1' }],
    permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, print: 1, email: 1, share: 1 }],
  },
  {
    ...STAMP,
    doctype: 'DocType',
    name: 'Errand Group',
    module: 'Desk',
    is_tree: 1,
    nsm_parent_field: 'parent_errand_group',
    autoname: 'field:title',
    naming_rule: 'By fieldname',
    fields: [
      { fieldname: 'title', fieldtype: 'Data', reqd: 1, unique: 1 },
      { fieldname: 'is_group', fieldtype: 'Check', default: '0' },
      { fieldname: 'lft', fieldtype: 'Int', hidden: 1, read_only: 1, no_copy: 1, search_index: 1 },
      { fieldname: 'rgt', fieldtype: 'Int', hidden: 1, read_only: 1, no_copy: 1, search_index: 1 },
      { fieldname: 'old_parent', fieldtype: 'Link', options: 'Errand Group', hidden: 1 },
      { fieldname: 'parent_errand_group', fieldtype: 'Link', options: 'Errand Group' },
    ],
    permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
  },
  ...[
    ['Prompt', 'Set by user'],
    ['autoincrement', 'Autoincrement'],
    ['UUID', 'UUID'],
    ['hash', 'Random'],
    ['naming_series:', 'By "Naming Series" field'],
    ['field:title', 'By fieldname'],
    ['format:{title}-{MM}-{###}', 'Expression'],
    ['ER-.YYYY.-.#####', 'Expression (old style)'],
    ['', ''],
  ].map(([autoname, naming_rule], index) => ({
    ...STAMP,
    doctype: 'DocType',
    name: `Named ${index}`,
    module: 'Desk',
    autoname,
    naming_rule,
    fields: [
      { fieldname: 'title', fieldtype: 'Data' },
      { fieldname: 'naming_series', fieldtype: 'Select', options: 'NS-.####\nNT-.####', set_only_once: 1 },
    ],
    permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
  })),
];

const folder = mkdtempSync(join(tmpdir(), 'chancery-frappe-'));
after(() => rmSync(folder, { recursive: true, force: true }));
for (const [index, shape] of [{ ...ERRAND, name: 'Filed Errand' }, ...SHAPES].entries()) {
  writeFileSync(join(folder, `${index}.json`), JSON.stringify(shape));
}

for (const engine of engineOf('json of frappe')) {
  describe(`Frappe's DocType JSON on ${engine}`, () => {
    let site: TestSite;
    before(async () => {
      site = await startTestSite(engine, { apps: [{ name: 'desk', doctypes: pathToFileURL(`${folder}/`) }] });
    });
    after(() => site.stop());

    const path = (doctype: string, name?: string) =>
      `/api/resource/${encodeURIComponent(doctype)}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
    const create = (doctype: string, body: object) => site.request('POST', path(doctype), { body });
    const ok = (reply: TestReply) => {
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data;
    };
    const definition = async (name: string) => ok(await site.request('GET', path('DocType', name)));

    function assertKept(stored: Record<string, unknown>) {
      for (const key of [
        'actions',
        'links',
        'states',
        'field_order',
        'engine',
        'migration_hash',
        'row_format',
      ]) {
        assert.deepEqual(stored[key], ERRAND[key as keyof typeof ERRAND], key);
      }
      for (const key of [
        'index_web_pages_for_search',
        'sort_field',
        'icon',
        'track_changes',
        'naming_rule',
      ]) {
        assert.equal(stored[key], ERRAND[key as keyof typeof ERRAND], key);
      }
      const fields = stored['fields'] as Record<string, unknown>[];
      assert.deepEqual(
        fields.map((field) => [field['fieldname'], field['oldfieldname'], field['oldfieldtype']]),
        ERRAND.fields.map((field) => [
          field.fieldname,
          'oldfieldname' in field ? field.oldfieldname : undefined,
          'oldfieldtype' in field ? field.oldfieldtype : undefined,
        ]),
      );
      assert.equal(fields[2]?.['show_dashboard'], 0);
      for (const key of ['__islocal', '__onload', '_comments', 'other_properties']) {
        assert.ok(!(key in stored), key);
      }
      assert.ok(fields.every((field) => !('other_properties' in field)));
    }

    test('a file loads unchanged, and reads return all its properties', async () => {
      assertKept(await definition('Filed Errand'));
      const doctype = site.site.doctypes.get('Filed Errand');
      assert.deepEqual([doctype.sort_field, doctype.sort_order], ['date', 'desc']);
      const errand = ok(await create('Filed Errand', { reference_type: 'DocType', reference_name: 'User' }));
      assert.equal(errand.status, 'Open');
      assert.match(errand.date, /^\d{4}-\d\d-\d\d$/);
    });

    test('the API accepts the same JSON, and updates keep unknown properties', async () => {
      assertKept(ok(await create('DocType', ERRAND)));
      assertKept(await definition('Errand'));
      assertKept(ok(await site.request('PUT', path('DocType', 'Errand'), { body: { icon: ERRAND.icon } })));
      // Read, change a word, write it back: what tools do.
      const whole = await definition('Errand');
      assertKept(
        ok(await site.request('PUT', path('DocType', 'Errand'), { body: { ...whole, quick_entry: 0 } })),
      );
      const body = { migration_hash: null, row_format: 'Static', beta: 1 };
      const changed = ok(await site.request('PUT', path('DocType', 'Errand'), { body }));
      assert.ok(!('migration_hash' in changed));
      assert.deepEqual([changed.row_format, changed.beta, changed.engine], ['Static', 1, 'InnoDB']);
      ok(await create('Errand', {}));
    });

    test('actions, links and states are lists, and a precision is text, also where none was given', async () => {
      const bare = {
        name: 'Bare',
        fields: [{ fieldname: 'a', fieldtype: 'Float', precision: 3 }, { label: 'B' }],
      };
      ok(await create('DocType', bare));
      const field = { dt: 'Bare', fieldname: 'c', fieldtype: 'Float', precision: '2' };
      assert.equal(ok(await create('Custom Field', field)).precision, '2');
      const lists = { actions: [], links: [], states: [] };
      const precisions = (shown: { fields: { precision: unknown }[] }) =>
        shown.fields.map(({ precision }) => precision);
      const shown = await definition('Bare');
      assert.partialDeepStrictEqual(shown, lists);
      assert.deepEqual(precisions(shown), ['3', '']);
      const path = '/api/method/frappe.desk.form.load.getdoctype?doctype=Bare';
      const [described] = (await site.request('GET', path)).body.docs;
      assert.partialDeepStrictEqual(described, lists);
      assert.deepEqual(precisions(described), ['3', '', '2']);
      // A client that sends it back changes nothing.
      const again = ok(await site.request('PUT', '/api/resource/DocType/Bare', { body: shown }));
      const { modified: _before, ...before } = shown;
      const { modified: _after, ...after } = again;
      assert.deepEqual(after, before);
      const row = await site.site.database.reader.get(
        sql`select "other_properties" from "DocType" where "name" = 'Bare'`,
      );
      assert.deepEqual(row, { other_properties: null });
    });

    test('stored properties apply when a later version uses them', async () => {
      ok(await create('DocType', { ...ERRAND, name: 'Elder', icon: null }));
      await site.site.database.transaction((connection) =>
        connection.run(sql`update "DocType" set "other_properties" = ${'{"icon":"fa fa-leaf","beta":1}'}
                           where "name" = 'Elder'`),
      );
      assert.equal((await definition('Elder')).icon, 'fa fa-leaf');
      const saved = ok(await site.request('PUT', path('DocType', 'Elder'), { body: { color: 'red' } }));
      assert.deepEqual([saved.icon, saved.beta], ['fa fa-leaf', 1]);
      const row = await site.site.database.reader.get(
        sql`select "icon", "other_properties" from "DocType" where "name" = 'Elder'`,
      );
      assert.deepEqual(row, { icon: 'fa fa-leaf', other_properties: '{"beta":1}' });
    });

    test('too many unused properties are refused', async () => {
      const reply = await create('DocType', { ...ERRAND, name: 'Heavy', notes: 'x'.repeat(300_000) });
      assert.equal(reply.status, 417, reply.text);
      const odd = { ...ERRAND, name: 'Odd', constructor: 'x', toString: 1, other_properties: '{"name":"x"}' };
      const kept = ok(await create('DocType', odd));
      assert.deepEqual([kept.name, kept.constructor, kept.toString], ['Odd', 'x', 1]);
    });

    test('fields of every type and every naming rule load', async () => {
      const doctype = site.site.doctypes.get('Everything');
      assert.deepEqual(
        doctype.fields.map((field) => field.fieldtype),
        [...FIELDTYPES.keys()],
      );
      const everything = ok(await create('Everything', { f_data: 'A', f_table: [{ user: 'Guest' }] }));
      assert.equal(everything.name, 'EV-A-0001');
      const names: string[] = [];
      for (let index = 0; index < 9; index += 1) {
        const body = {
          name: 'asked',
          title: 'T',
          ...(index === 2 || index === 3 ? { name: undefined } : {}),
        };
        names.push(String(ok(await create(`Named ${index}`, body)).name));
      }
      const month = '\\d\\d';
      const patterns = [
        '^asked$',
        '^1$',
        '^[0-9a-f-]{36}$',
        '^[0-9a-v]{10}$',
        '^NS-0001$',
        '^T$',
        `^T-${month}-001$`,
        '^ER-\\d{4}-00001$',
        '^[0-9a-v]{10}$',
      ];
      for (const [index, pattern] of patterns.entries())
        assert.match(names[index] ?? '', new RegExp(pattern));
    });

    test('a single and a tree load', async () => {
      assert.equal(ok(await site.request('GET', path('Errand Settings', 'Errand Settings'))).enabled, 1);
      ok(await site.request('PUT', path('Errand Settings', 'Errand Settings'), { body: { enabled: 0 } }));
      assert.equal(ok(await site.request('GET', path('Errand Settings', 'Errand Settings'))).enabled, 0);
      ok(await create('Errand Group', { title: 'All', is_group: 1 }));
      const leaf = ok(await create('Errand Group', { title: 'Home', parent_errand_group: 'All' }));
      assert.equal(leaf.parent_errand_group, 'All');
      assert.equal((await definition('Errand Group')).nsm_parent_field, 'parent_errand_group');
    });

    test('a single created at run time stores values, and is deleted with them', async () => {
      const { name: _name, ...settings } = SHAPES[2] ?? { name: '' };
      ok(await create('DocType', { ...settings, name: 'Own Settings' }));
      ok(await site.request('PUT', path('Own Settings', 'Own Settings'), { body: { enabled: 0 } }));
      assert.equal(ok(await site.request('GET', path('Own Settings', 'Own Settings'))).enabled, 0);
      const reply = await site.request('PUT', path('DocType', 'Own Settings'), { body: { issingle: 0 } });
      assert.equal(reply.status, 417, reply.text);
      assert.equal((await site.request('DELETE', path('DocType', 'Own Settings'))).status, 202);
      assert.equal((await site.request('GET', path('Own Settings', 'Own Settings'))).status, 404);
    });
  });
}
