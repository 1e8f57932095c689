/** Doctypes as a designer changes them: `chancery.read_design`, `chancery.plan_design`, `chancery.save_design`. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { writeApp } from '../support/app-folder.ts';
import { describeEither } from '../support/describe-site.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-design-'));
after(() => rmSync(root, { recursive: true, force: true }));
mkdirSync(root, { recursive: true });

const RIGHTS = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];
const APP = writeApp(mkdtempSync(join(root, 'app-')), 'shop', [
  {
    name: 'Shop',
    module: 'Shop',
    fields: [
      { fieldname: 'title', label: 'Title', fieldtype: 'Data', reqd: 1 },
      { fieldname: 'city', label: 'City', fieldtype: 'Data' },
      { fieldname: 'size', label: 'Size', fieldtype: 'Int' },
    ],
    permissions: RIGHTS,
  },
]);
const apps = [{ name: 'shop', doctypes: pathToFileURL(join(APP, 'doctypes/')) }];

interface Definition {
  readonly [key: string]: unknown;
  readonly fields: readonly Readonly<Record<string, unknown>>[];
}

interface Design {
  readonly definition: Definition;
  readonly revision: string;
  readonly app: string;
  readonly locked: { readonly doctype: Readonly<Record<string, string>> };
  readonly customized: readonly unknown[];
}

interface Plan {
  readonly documents: readonly { action: string; doctype: string; fields: Record<string, unknown> }[];
  readonly tables: readonly {
    readonly doctype: string;
    readonly rows: number;
    readonly changes: readonly { readonly change: string }[];
    readonly losses: readonly Readonly<Record<string, unknown>>[];
    readonly incomplete: readonly unknown[];
  }[];
}

describeEither('designing doctypes', { apps, users: { clerk: ['Desk User'] } }, (site) => {
  const read = (doctype: string) => site.call('chancery.read_design', { doctype }) as Promise<Design>;
  const plan = (args: object) => site.call('chancery.plan_design', args) as Promise<Plan>;
  const save = (args: object) => site.call('chancery.save_design', args) as Promise<Plan>;
  const list = async (doctype: string, field = 'name') => {
    const { body } = await site.request('GET', `/api/resource/${doctype}?fields=["${field}"]`);
    return (body.data as Readonly<Record<string, unknown>>[]).map((row) => row[field] ?? null);
  };
  const fieldsOf = async (doctype: string) =>
    (await read(doctype)).definition.fields.map((field) => String(field['fieldname']));

  const NEW = {
    doctype: 'Recipe',
    revision: '',
    definition: {
      name: 'Recipe',
      module: 'Kitchen',
      fields: [
        { fieldname: 'title', label: 'Title', fieldtype: 'Data' },
        { fieldname: 'portions', label: 'Portions', fieldtype: 'Data' },
        { fieldname: 'steps', label: 'Steps', fieldtype: 'Table', options: 'Recipe Step' },
      ],
      permissions: RIGHTS,
    },
    children: [
      {
        name: 'Recipe Step',
        module: 'Kitchen',
        istable: 1,
        fields: [{ fieldname: 'what', label: 'What', fieldtype: 'Data', in_list_view: 1 }],
      },
    ],
  };

  test('a plan of a new doctype with its child table changes nothing', async () => {
    const planned = await plan(NEW);
    assert.deepEqual(
      planned.documents.map(({ action, doctype }) => [action, doctype]),
      [
        ['create', 'DocType'],
        ['create', 'DocType'],
      ],
    );
    assert.deepEqual(
      planned.tables.map(({ doctype, changes }) => [doctype, changes.map(({ change }) => change)]),
      [
        ['Recipe Step', ['create_table']],
        ['Recipe', ['create_table']],
      ],
    );
    assert.equal((await site.request('GET', '/api/resource/Recipe')).status, 404);
    assert.equal((await site.request('GET', '/api/resource/DocType/Recipe')).status, 404);
  });

  test('saving it makes both doctypes, and a second time is refused', async () => {
    await save(NEW);
    await site.make('Recipe', { title: 'Soup', portions: '4', steps: [{ what: 'Boil' }, { what: 'Eat' }] });
    await site.make('Recipe', { title: 'Bread', portions: 'many', steps: [{ what: 'Bake' }] });
    assert.equal((await site.rpc('chancery.plan_design', NEW)).body.exc_type, 'DuplicateEntryError');
  });

  test('a plan counts the values that a removed field and a narrower fieldtype lose', async () => {
    const { definition, revision } = await read('Recipe');
    const fields = definition.fields
      .filter(({ fieldname }) => fieldname !== 'title' && fieldname !== 'steps')
      .map((field) => (field['fieldname'] === 'portions' ? { ...field, fieldtype: 'Int' } : field));
    const wanted = { doctype: 'Recipe', revision, definition: { fields } };
    const [table] = (await plan(wanted)).tables;
    assert.equal(table?.rows, 2);
    const losses = table?.losses.map(({ fieldname, loss, values, required }) => [
      fieldname,
      loss,
      values,
      required,
    ]);
    assert.deepEqual(losses?.toSorted(), [
      ['portions', 'converted', 1, true],
      ['steps', 'removed', 3, false],
      ['title', 'removed', 2, false],
    ]);
    // Without consent, a conversion is refused.
    const refused = await site.rpc('chancery.save_design', wanted);
    assert.match(JSON.stringify(refused.body), /cannot become integer/);
    assert.deepEqual(await fieldsOf('Recipe'), ['title', 'portions', 'steps']);
  });

  test('a removed field keeps its values, unless the request names it', async () => {
    const { definition, revision } = await read('Recipe');
    const without = (name: string) => definition.fields.filter(({ fieldname }) => fieldname !== name);
    await save({ doctype: 'Recipe', revision, definition: { fields: without('title') } });
    const back = await read('Recipe');
    await save({ doctype: 'Recipe', revision: back.revision, definition: { fields: definition.fields } });
    const titles = () => list('Recipe', 'title');
    assert.deepEqual((await titles()).toSorted(), ['Bread', 'Soup']);

    const again = await read('Recipe');
    await save({
      doctype: 'Recipe',
      revision: again.revision,
      definition: { fields: without('title') },
      lose: ['title'],
    });
    const last = await read('Recipe');
    await save({ doctype: 'Recipe', revision: last.revision, definition: { fields: definition.fields } });
    assert.deepEqual(await titles(), [null, null]);
  });

  test('accepted losses convert the values that fit', async () => {
    const { definition, revision } = await read('Recipe');
    const fields = definition.fields.map((field) =>
      field['fieldname'] === 'portions' ? { ...field, fieldtype: 'Int' } : field,
    );
    await save({ doctype: 'Recipe', revision, definition: { fields }, lose: ['portions'] });
    assert.deepEqual((await list('Recipe', 'portions')).toSorted(), [0, 4]);
  });

  test('changes of a shipped doctype become customizations, and go back to none', async () => {
    const before = await read('Shop');
    assert.equal(before.app, 'shop');
    assert.match(String(before.locked.doctype['istable']), /belongs to the definition/);
    const [title, city, size] = before.definition.fields;
    const fields = [
      { ...title, label: 'Name' },
      size,
      { fieldname: 'rating', label: 'Rating', fieldtype: 'Rating' },
      city,
    ];
    const wanted = {
      doctype: 'Shop',
      revision: before.revision,
      definition: { fields, title_field: 'title', permissions: [...RIGHTS, { role: 'Desk User', read: 1 }] },
    };
    const planned = await plan(wanted);
    assert.deepEqual(
      planned.documents.map(({ doctype, fields: { property = null } }) => [doctype, property]),
      [
        ['Custom Field', null],
        ['Property Setter', 'title_field'],
        ['Property Setter', 'label'],
        ['Property Setter', 'field_order'],
        ['Custom DocPerm', null],
        ['Custom DocPerm', null],
      ],
    );
    assert.deepEqual(await list('Property Setter'), [], 'a plan writes nothing');
    await save(wanted);
    assert.deepEqual(await fieldsOf('Shop'), ['title', 'size', 'rating', 'city']);
    await site.make('Shop', { title: 'Corner', rating: 0.5 });

    const changed = await read('Shop');
    const { definition } = before;
    await save({
      doctype: 'Shop',
      revision: changed.revision,
      definition: { fields: definition.fields, title_field: null, permissions: RIGHTS },
    });
    for (const kind of ['Custom Field', 'Property Setter', 'Custom DocPerm']) {
      assert.deepEqual(await list(kind), [], kind);
    }
    assert.deepEqual((await read('Shop')).definition, definition);
  });

  test('parts of a shipped doctype that cannot change are refused at their field', async () => {
    const { definition, revision } = await read('Shop');
    const fields = definition.fields.slice(1);
    const { body } = await site.rpc('chancery.plan_design', {
      doctype: 'Shop',
      revision,
      definition: { fields },
    });
    const [message] = JSON.parse(String(body._server_messages)) as string[];
    assert.equal(JSON.parse(message ?? '').fieldname, 'title');
    assert.match(JSON.parse(message ?? '').message, /hide it instead/);
  });

  test('a change that somebody else made meanwhile is not overwritten', async () => {
    const { definition, revision } = await read('Recipe');
    await site.did('PUT', 'DocType/Recipe', { description: 'Food' });
    const { body } = await site.rpc('chancery.save_design', { doctype: 'Recipe', revision, definition });
    assert.equal(body.exc_type, 'TimestampMismatchError');
  });

  test('unreadable rows are refused, and take nothing away', async () => {
    const before = await read('Recipe');
    const { revision } = before;
    for (const method of ['chancery.plan_design', 'chancery.save_design']) {
      for (const [key, label] of [
        ['fields', 'Fields'],
        ['permissions', 'Permissions'],
      ] as const) {
        for (const value of ['x', '', 5, null, true, { a: 1 }, '[]', ['x'], [null], [[]]]) {
          const what = `${method} ${key} ${JSON.stringify(value)}`;
          const definition = { [key]: value };
          const reply = await site.rpc(method, { doctype: 'Recipe', revision, definition });
          const words = Array.isArray(value)
            ? `${label} Row #1 must be an object`
            : `Value for ${label} must be a list of rows`;
          assert.deepEqual([reply.status, reply.body.exc_type], [417, 'ValidationError'], what);
          assert.ok(reply.text.includes(words), `${what}: ${reply.text}`);
          const children = [{ name: 'Recipe Note', module: 'Kitchen', istable: 1, ...definition }];
          const child = await site.rpc(method, { doctype: 'Recipe', revision, definition: {}, children });
          assert.equal(child.status, 417, `child: ${what}`);
          assert.ok(child.text.includes(words), `child: ${what}: ${child.text}`);
        }
      }
    }
    assert.deepEqual(await read('Recipe'), before);
  });

  test('compound values in place of names are refused', async () => {
    const compound = { toString: 1 };
    const { definition, revision } = await read('Recipe');
    for (const wanted of [
      { definition: { fields: [{ fieldname: compound }] } },
      { definition: { fields: [...definition.fields, { fieldname: ['x'], fieldtype: 'Data' }] } },
      { definition: { permissions: [{ role: compound }] } },
      { definition: { fields: [{ fieldname: 'title', label: compound, fieldtype: compound }] } },
      { definition: { module: compound } },
      { definition: {}, children: [{ name: compound }] },
      { definition: {}, children: [{ name: 'Recipe Note', fields: [{ fieldname: compound }] }] },
    ]) {
      for (const doctype of ['Recipe', 'Shop', 'Nothing Yet']) {
        const args = { doctype, ...(doctype === 'Recipe' ? { revision } : {}), ...wanted };
        const { status, text } = await site.rpc('chancery.save_design', args);
        assert.equal(status, 417, `${doctype} ${JSON.stringify(wanted)}: ${text}`);
      }
    }
  });

  test('the last permission rule stays', async () => {
    const { definition, revision } = await read('Shop');
    const own = { role: 'System Manager', read: 1, write: 1 };
    await save({ doctype: 'Shop', revision, definition: { permissions: [own] } });
    for (const doctype of ['Shop', 'Recipe']) {
      const reply = await site.rpc('chancery.save_design', { doctype, definition: { permissions: [] } });
      assert.equal(reply.status, 417);
      assert.match(reply.text, /needs at least one permission rule/);
    }
    assert.equal((await list('Custom DocPerm')).length, 1);
    await save({ doctype: 'Recipe Step', definition: { permissions: [] } });
    await save({ doctype: 'Shop', definition: { permissions: definition['permissions'] } });
    assert.deepEqual(await list('Custom DocPerm'), []);
  });

  test('a revision says whether the doctype is new', async () => {
    const { definition, revision } = await read('Shop');
    const gone = { ...definition, name: 'Gone' };
    const missing = await site.rpc('chancery.save_design', { doctype: 'Gone', revision, definition: gone });
    assert.equal(missing.body.exc_type, 'TimestampMismatchError');
    assert.equal((await site.request('GET', '/api/resource/DocType/Gone')).status, 404);
    const taken = await site.rpc('chancery.save_design', { doctype: 'Shop', revision: '', definition });
    assert.equal(taken.body.exc_type, 'DuplicateEntryError');
  });

  test('only System Managers read, plan and save designs', async () => {
    for (const [method, args] of [
      ['read_design', { doctype: 'Shop' }],
      ['plan_design', { doctype: 'Shop', definition: {} }],
      ['save_design', { doctype: 'Shop', definition: {} }],
    ] as const) {
      const { status } = await site.rpc(`chancery.${method}`, args, 'clerk');
      assert.equal(status, 403, method);
    }
  });
});
