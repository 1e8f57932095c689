/**
 * A document of which nothing is hidden is answered from its row. Each doctype here hides, computes or adds one
 * thing in one way, and no reply may show it as it is stored.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { defineApp, defineController } from '../../src/index.ts';
import { describeEither } from '../support/describe-site.ts';

const READER = { role: 'Reader', read: 1 };
const AUTHOR = { role: 'Author', read: 1, if_owner: 1 };
const TITLE = { fieldname: 'title', fieldtype: 'Data' };
const SECRET = { fieldname: 'secret', fieldtype: 'Data' };
const HIDDEN = { ...SECRET, permlevel: 1 };
const SUM = { fieldname: 'sum', fieldtype: 'Int', is_virtual: 1 };
const rowsOf = (options: string) => ({ fieldname: 'rows', fieldtype: 'Table', options });
const STORED = { title: 'shown', secret: 'hidden-value' };

const child = (name: string, fields: readonly object[]) => ({ name, istable: 1, fields });
const parent = (name: string, fields: readonly object[], permission: object = READER) => {
  return { name, autoname: 'Prompt', fields: [TITLE, ...fields], permissions: [permission] };
};

const SITE = {
  apps: [
    defineApp({
      name: 'replies',
      controllers: {
        Computed: defineController({ virtualFields: { sum: () => 42 } }),
        'Computed Row': defineController({ virtualFields: { sum: () => 42 } }),
        Refused: defineController({ hasPermission: (ctx) => ctx.user.isAdministrator }),
        Filtered: defineController({
          rowFilter: (ctx) => (ctx.user.isAdministrator ? null : [['title', '=', 'other']]),
        }),
      },
    }),
  ],
  doctypes: [
    child('Plain Row', [TITLE, SECRET]),
    child('Hiding Row', [TITLE, HIDDEN]),
    child('Computed Row', [TITLE, SUM]),
    parent('Plain', [SECRET]),
    parent('Own Field', [HIDDEN]),
    parent('Field Of Rows', [rowsOf('Hiding Row')]),
    parent('Whole Table', [{ ...rowsOf('Plain Row'), permlevel: 1 }]),
    parent('Owned', [SECRET], AUTHOR),
    parent('Refused', [SECRET]),
    parent('Filtered', [SECRET]),
    parent('Restricted', [SECRET, { fieldname: 'role', fieldtype: 'Link', options: 'Role' }]),
    parent('Computed', [SUM]),
    parent('Computed In Rows', [rowsOf('Computed Row')]),
    parent('Defining', [rowsOf('DocField')]),
  ],
  users: { reader: ['Reader', 'Author'] },
};

describeEither('replies from rows', SITE, (site) => {
  before(async () => {
    await site.make('User Permission', { user: 'reader@example.com', allow: 'Role', for_value: 'Reader' });
    for (const { name, istable } of SITE.doctypes.map((one) => ({ istable: 0, ...one }))) {
      if (istable === 0)
        await site.make(name, {
          name: 'a',
          ...STORED,
          role: 'Author',
          rows: [{ ...STORED, fieldname: 'f' }],
        });
    }
  });
  const read = (doctype: string) =>
    site.request('GET', `/api/resource/${encodeURIComponent(doctype)}/a`, { as: 'reader' });

  test('a document without anything hidden is shown', async () => {
    const { status, body } = await read('Plain');
    assert.deepEqual([status, body.data.secret], [200, STORED.secret]);
  });

  for (const doctype of ['Own Field', 'Field Of Rows', 'Whole Table']) {
    test(`${doctype}: what a permlevel hides is not in the reply`, async () => {
      const { status, text, body } = await read(doctype);
      assert.deepEqual([status, body.data.title], [200, 'shown']);
      assert.ok(!text.includes('hidden-value') && !text.includes('secret'), text);
    });
  }

  for (const doctype of ['Owned', 'Refused', 'Filtered', 'Restricted']) {
    test(`${doctype}: a document that a rule hides is refused`, async () => {
      const { status, text } = await read(doctype);
      assert.equal(status, 403, text);
      assert.ok(!text.includes('hidden-value'));
    });
  }

  test('fields that code computes are in the reply', async () => {
    assert.equal((await read('Computed')).body.data.sum, 42);
    assert.equal((await read('Computed In Rows')).body.data.rows[0].sum, 42);
  });

  test('definitions show their properties without a column', async () => {
    const { name } = await site.make('Custom Field', { dt: 'Plain', label: 'More', oldfieldname: 'm' });
    const field = await site.did('GET', `Custom Field/${name}`);
    assert.deepEqual([field.oldfieldname, field.other_properties], ['m', undefined]);
    const [row] = (await site.did('GET', 'Defining/a')).rows;
    assert.equal(row.precision, '');
  });
});
