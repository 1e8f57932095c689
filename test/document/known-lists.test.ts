/** Equal list requests are parsed once, and never answered by what was true before. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ADMINISTRATOR, type CurrentUser } from '../../src/access/user.ts';
import { readContext } from '../../src/document/context.ts';
import { allowedList, listDocumentsText } from '../../src/document/list/list.ts';
import type { ListParameters } from '../../src/query/list-query.ts';
import { describeSite } from '../support/describe-site.ts';
import { memorySite, OTHER_STAFF, STAFF } from '../support/memory-site.ts';

const doctypes = [
  { name: 'Place', autoname: 'field:title', fields: [{ fieldname: 'title', fieldtype: 'Data' }] },
  {
    name: 'Note',
    fields: [
      { fieldname: 'state', fieldtype: 'Data' },
      { fieldname: 'due', fieldtype: 'Date' },
      { fieldname: 'place', fieldtype: 'Link', options: 'Place' },
    ],
  },
];

describeSite('equal list requests', memorySite({ doctypes }), (site) => {
  const parsed = (parameters: ListParameters, user: CurrentUser = STAFF) =>
    allowedList(readContext(site, user), 'Note', parameters).query;
  const open = { fields: '["name","state"]', filters: '{"state":"Open"}', order_by: 'modified desc' };

  test('are parsed once for a user', () => {
    assert.equal(parsed({ ...open }), parsed({ ...open }));
    assert.notEqual(parsed(open), parsed(open, OTHER_STAFF));
    assert.notEqual(parsed(open), parsed({ ...open, filters: '{"state":"Done"}' }));
    assert.notEqual(parsed(open), parsed({ ...open, limit_start: '1' }));
    const { filters, ...others } = open;
    assert.notEqual(parsed(open), parsed({ ...others, or_filters: filters }));
  });

  test('are parsed again when they are very long, or depend on more than their text', () => {
    const rest: Record<string, ListParameters> = {
      'a long text': { filters: JSON.stringify({ state: 'x'.repeat(2_000) }) },
      'the time': { filters: '[["due","between",["2026-01-01"]]]' },
      'rows of another doctype': { filters: '[["place.title","=","a"]]' },
    };
    for (const [what, parameters] of Object.entries(rest)) {
      assert.notEqual(parsed(parameters), parsed(parameters), what);
    }
  });

  test('obey the settings of now', () => {
    const five = { ...open, limit: '5' };
    parsed(five);
    const less = Object.create(site, { settings: { value: { ...site.settings, maxPageLength: 4 } } });
    assert.throws(() => allowedList(readContext(less, STAFF), 'Note', five), /at most 4/);
    parsed(five);
  });

  test('obey the rows of now', async () => {
    const ask = async (user = ADMINISTRATOR) =>
      JSON.parse(String(await listDocumentsText(readContext(site, user), 'Note', open)));
    assert.deepEqual(await ask(), []);
    await site.database.transaction((db) =>
      db.run({
        text: `insert into "Note" ("name", "creation", "modified", "state") values ('a', '2026-01-01 00:00:00', '2026-01-01 00:00:00', 'Open')`,
        values: [],
      }),
    );
    assert.deepEqual(await ask(), [{ name: 'a', state: 'Open' }]);
  });
});

const LEAF = {
  name: 'Leaf',
  custom: 1,
  autoname: 'field:title',
  fields: [
    { fieldname: 'title', fieldtype: 'Data' },
    { fieldname: 'tree', fieldtype: 'Data' },
  ],
  permissions: [{ role: 'Gardener', read: 1 }],
};

describeSite('a list over HTTP', { doctypes: [LEAF], users: { ann: ['Gardener'] } }, (site) => {
  before(() => site.make('Leaf', { title: 'a', tree: 'oak' }));

  const path = '/api/resource/Leaf?fields=["*"]';
  const asked = async () => {
    const { status, body } = await site.request('GET', path, { as: 'ann' });
    return { status, rows: body.data };
  };

  test('shows new fields, and hides fields and documents, as soon as the doctype changes', async () => {
    const [row] = (await asked()).rows;
    assert.deepEqual([row.title, row.tree], ['a', 'oak']);
    const { fields } = LEAF;
    await site.did('PUT', 'DocType/Leaf', {
      fields: [...fields, { fieldname: 'age', fieldtype: 'Int' }],
    });
    assert.ok('age' in (await asked()).rows[0], 'the new field');
    await site.did('PUT', 'DocType/Leaf', {
      fields: fields.map((field) => (field.fieldname === 'tree' ? { ...field, permlevel: 1 } : field)),
    });
    assert.ok(!('tree' in (await asked()).rows[0]), 'the hidden field');
    await site.did('PUT', 'DocType/Leaf', { permissions: [{ role: 'Gardener', read: 1, if_owner: 1 }] });
    assert.deepEqual((await asked()).rows, []);
    await site.did('PUT', 'DocType/Leaf', { permissions: [{ role: 'System Manager', read: 1 }] });
    assert.equal((await asked()).status, 403);
  });
});
