import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import type { TestReply } from '../support/site.ts';

const ALL = { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 };
// As Frappe writes a tree: its own name for the parent field, and the numbers that it counts nodes with.
const TERRITORY = {
  name: 'Territory',
  is_tree: 1,
  nsm_parent_field: 'parent_territory',
  autoname: 'field:territory_name',
  allow_rename: 1,
  fields: [
    { fieldname: 'territory_name', label: 'Territory Name', fieldtype: 'Data', reqd: 1 },
    { fieldname: 'parent_territory', label: 'Part Of', fieldtype: 'Link', options: 'Territory' },
    { fieldname: 'lft', label: 'Left', fieldtype: 'Int', hidden: 1, search_index: 1 },
    { fieldname: 'rgt', label: 'Right', fieldtype: 'Int', hidden: 1, search_index: 1 },
    { fieldname: 'head', label: 'Head', fieldtype: 'Data' },
  ],
  permissions: [ALL, { role: 'Local', read: 1, write: 1, create: 1, delete: 1, if_owner: 1 }],
};
const CLIENT = {
  name: 'Client',
  autoname: 'Prompt',
  fields: [
    { fieldname: 'territory', label: 'Territory', fieldtype: 'Link', options: 'Territory' },
    { fieldname: 'visits', label: 'Visits', fieldtype: 'Table', options: 'Client Visit' },
  ],
  permissions: [ALL, { role: 'Local', read: 1 }, { role: 'Outsider', read: 1 }],
};
const VISIT = {
  name: 'Client Visit',
  istable: 1,
  fields: [{ fieldname: 'place', label: 'Place', fieldtype: 'Link', options: 'Territory' }],
};
// World > (Europe > (Italy, Malta), Asia > (Japan)), Moon
const NODES = [
  ['World', null, 1],
  ['Europe', 'World', 1],
  ['Asia', 'World', 1],
  ['Italy', 'Europe', 0],
  ['Malta', 'Europe', 0],
  ['Japan', 'Asia', 0],
  ['Moon', null, 0],
] as const;

const SITE = { doctypes: [TERRITORY, VISIT, CLIENT], users: { local: ['Local'], outsider: ['Outsider'] } };

describeEither('trees over HTTP', SITE, (site) => {
  before(async () => {
    for (const [territory_name, parent_territory, is_group] of NODES) {
      await post('/api/resource/Territory', { territory_name, parent_territory, is_group });
    }
    for (const [name, territory, place] of [
      ['Rossi', 'Italy', 'Japan'],
      ['Borg', 'Malta', 'Malta'],
      ['Sato', 'Japan', null],
      ['Nobody', null, null],
    ]) {
      await post('/api/resource/Client', { name, territory, visits: place ? [{ place }] : [] });
    }
  });

  async function post(path: string, body: unknown, as?: string): Promise<TestReply> {
    const reply = await site.request('POST', path, as === undefined ? { body } : { body, as });
    assert.equal(reply.status, 200, reply.text);
    return reply;
  }
  const put = (name: string, body: unknown) =>
    site.request('PUT', `/api/resource/Territory/${name}`, { body });
  const list = (doctype: string, filters: unknown, as?: string) =>
    site.request(
      'GET',
      `/api/resource/${doctype}?order_by=name&filters=${encodeURIComponent(JSON.stringify(filters))}`,
      { as },
    );
  async function names(doctype: string, filters: unknown, as?: string): Promise<string> {
    const reply = await list(doctype, filters, as);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data.map((row: { name: string }) => row.name).join(' ');
  }
  const refused = (reply: TestReply, pattern: RegExp, type = 'ValidationError') => {
    assert.deepEqual([reply.status, reply.body.exc_type], [417, type], reply.text);
    assert.match(reply.body.exception, pattern);
  };

  test('operators walk up and down, on names and on links', async () => {
    const of = (operator: string, node: string) => names('Territory', [['name', operator, node]]);
    assert.equal(await of('descendants of', 'World'), 'Asia Europe Italy Japan Malta');
    assert.equal(await of('descendants of (inclusive)', 'Europe'), 'Europe Italy Malta');
    assert.equal(await of('Ancestors Of', 'Italy'), 'Europe World');
    assert.equal(await of('not ancestors of', 'Italy'), 'Asia Italy Japan Malta Moon');
    assert.equal(await of('not descendants of', 'World'), 'Moon World');
    assert.equal(await of('descendants of', 'Italy'), '');
    assert.equal(await of('descendants of (inclusive)', 'Italy'), 'Italy');
    for (const operator of ['descendants of', 'descendants of (inclusive)', 'ancestors of']) {
      assert.equal(await of(operator, 'Atlantis'), '', operator);
      assert.equal(await of(operator, ''), '', operator);
    }
    const clients = (...filter: unknown[]) => names('Client', [filter]);
    assert.equal(await clients('territory', 'descendants of', 'Europe'), 'Borg Rossi');
    assert.equal(await clients('territory', 'not descendants of', 'Europe'), 'Nobody Sato');
    assert.equal(await clients('territory', 'descendants of (inclusive)', 'Japan'), 'Sato');
    assert.equal(await clients('visits.place', 'descendants of', 'Asia'), 'Rossi');
    assert.equal(await clients('territory.name', 'descendants of', 'Asia'), 'Sato');
    assert.equal(await clients('territory', 'not descendants of', 'Atlantis'), 'Borg Nobody Rossi Sato');
    const both = { filters: { territory: ['descendants of', 'World'] }, doctype: 'Client' };
    assert.equal((await post('/api/method/frappe.client.get_count', both)).body.message, 3);
  });

  test('a field that names no node takes no such operator', async () => {
    refused(await list('Territory', [['head', 'descendants of', 'World']]), /names no node of a tree/);
    refused(await list('Client', [['name', 'descendants of', 'Rossi']]), /names no node of a tree/);
    refused(await list('Territory', [['name', 'descendants of', ['World']]]), /the name of a node/);
    refused(await list('Territory', [['name', 'children of', 'World']]), /must be one of .*ancestors of/);
  });

  test('what is not a group has no nodes below it, and what has some stays a group', async () => {
    const body = { territory_name: 'Rome', parent_territory: 'Italy' };
    refused(await site.request('POST', '/api/resource/Territory', { body }), /Part Of Italy is not a group/);
    refused(await put('Malta', { parent_territory: 'Italy' }), /not a group/);
    refused(await put('Europe', { is_group: 0 }), /must stay a group/);
    const removal = await site.request('DELETE', '/api/resource/Territory/Europe');
    refused(removal, /Cannot delete Territory Europe: there are nodes below it/, 'NestedSetChildExistsError');
    const lost = await put('Malta', { parent_territory: 'Atlantis' });
    assert.equal(lost.body.exc_type, 'LinkValidationError');
  });

  test('a tree made at run time has the fields of every tree, and sets the old parent alone', async () => {
    const definition = { name: 'Attic', is_tree: 1, autoname: 'prompt', fields: [], permissions: [ALL] };
    const { data } = (await post('/api/resource/DocType', definition)).body;
    const flags = ['hidden', 'ignore_user_permissions', 'read_only', 'enforce_on_server'];
    assert.deepEqual(
      data.fields.map((field: Record<string, unknown>) => [
        field['fieldname'],
        ...flags.filter((flag) => field[flag] === 1),
      ]),
      [
        ['parent_attic', 'ignore_user_permissions'],
        ['is_group'],
        ['old_parent', 'hidden', 'read_only', 'enforce_on_server'],
      ],
    );
    await post('/api/resource/Attic', { name: 'Top', is_group: 1, old_parent: 'Nowhere' });
    const made = await post('/api/resource/Attic', { name: 'Low', parent_attic: 'Top', old_parent: 'Gone' });
    assert.equal(made.body.data.old_parent, 'Top');
  });

  test('a node moves with all below it, but never below itself', async () => {
    refused(await put('World', { parent_territory: 'Europe' }), /cannot be below Europe, which is below it/);
    refused(await put('Europe', { parent_territory: 'Europe' }), /cannot be below itself/);
    const moved = await put('Europe', { parent_territory: 'Asia', old_parent: 'Moon' });
    assert.equal(moved.status, 200, moved.text);
    assert.equal(moved.body.data.old_parent, 'Asia');
    assert.equal(await names('Territory', [['name', 'descendants of', 'Asia']]), 'Europe Italy Japan Malta');
    assert.equal(await names('Client', [['territory', 'descendants of', 'Asia']]), 'Borg Rossi Sato');
    assert.equal((await put('Europe', { parent_territory: 'World' })).status, 200);
  });

  test('renaming and merging nodes keeps the rest of the tree in place', async () => {
    const rename = (old_name: string, new_name: string, merge = false) =>
      site.request('POST', '/api/method/frappe.client.rename_doc', {
        body: { doctype: 'Territory', old_name, new_name, merge },
      });
    assert.equal((await rename('Asia', 'Orient')).status, 200);
    assert.equal(await names('Territory', [['name', 'ancestors of', 'Japan']]), 'Orient World');
    assert.equal(await names('Client', [['territory', 'descendants of', 'Orient']]), 'Sato');
    refused(await rename('World', 'Orient', true), /into a node below it/);
    refused(await rename('Italy', 'Orient', true), /two groups/);
    const merged = await rename('Orient', 'Europe', true);
    assert.equal(merged.status, 200, merged.text);
    assert.equal(await names('Territory', [['name', 'descendants of', 'Europe']]), 'Italy Japan Malta');
    await post('/api/resource/Territory', {
      territory_name: 'Asia',
      parent_territory: 'World',
      is_group: 1,
    });
    assert.equal((await put('Japan', { parent_territory: 'Asia' })).status, 200);
  });

  test('who may not see a node learns nothing from it', async () => {
    const village = { territory_name: 'Village', is_group: 1 };
    await post('/api/resource/Territory', village, 'local');
    const under = { ...village, territory_name: 'Hamlet', parent_territory: 'Europe' };
    const body = { ...under, parent_territory: 'No such place' };
    for (const sent of [under, body]) {
      const reply = await site.request('POST', '/api/resource/Territory', { body: sent, as: 'local' });
      assert.equal(reply.body.exc_type, 'LinkValidationError', reply.text);
    }
    assert.equal((await put('Village', { parent_territory: 'Europe' })).status, 200);
    const of = (operator: string, node: string) => names('Territory', [['name', operator, node]], 'local');
    assert.equal(await of('descendants of', 'World'), '', 'World is not theirs to see');
    assert.equal(await of('descendants of (inclusive)', 'Village'), 'Village');
    assert.equal(await of('ancestors of', 'Village'), '', 'nor are those above');
    assert.equal(await names('Client', [['territory', 'descendants of', 'World']], 'local'), '');
    const hidden = await list('Client', [['territory', 'descendants of', 'World']], 'outsider');
    refused(hidden, /names no node/);
    await site.ok('DELETE', '/api/resource/Territory/Village');
  });

  test('a definition gets what every tree has, and no numbers that would mean nothing', async () => {
    const minimal = { name: 'Sales Region', is_tree: 1, autoname: 'Prompt', permissions: [ALL] };
    await post('/api/resource/DocType', minimal);
    await post('/api/resource/Sales%20Region', { name: 'Top', is_group: 1 });
    await post('/api/resource/Sales%20Region', { name: 'Leaf', parent_sales_region: 'Top' });
    assert.equal(await names('Sales%20Region', [['name', 'descendants of', 'Top']]), 'Leaf');
    const italy = await site.request('GET', '/api/resource/Territory/Italy');
    assert.equal('lft' in italy.body.data || 'rgt' in italy.body.data, false);
    assert.equal((await list('Territory', [['lft', '>', 0]])).body.exc_type, 'DataError');
    for (const [wrong, pattern] of [
      [{ istable: 1, permissions: [] }, /child table cannot be a tree/],
      [{ issingle: 1 }, /single cannot be a tree/],
      [{ fields: [{ fieldname: 'is_group', fieldtype: 'Data' }] }, /is_group of a tree must be a Check/],
      [{ nsm_parent_field: 'up', fields: [{ fieldname: 'up', fieldtype: 'Data' }] }, /Field up of a tree/],
    ] as const) {
      const reply = await site.request('POST', '/api/resource/DocType', {
        body: { ...minimal, name: 'Bad Tree', ...wrong },
      });
      refused(reply, pattern);
    }
  });

  test('a doctype with documents becomes a tree when its definition says so', async () => {
    await post('/api/resource/DocType', { name: 'Shelf', autoname: 'Prompt', permissions: [ALL] });
    await post('/api/resource/Shelf', { name: 'Old' });
    await site.ok('PUT', '/api/resource/DocType/Shelf', { body: { is_tree: 1 } });
    await site.ok('PUT', '/api/resource/Shelf/Old', { body: { is_group: 1 } });
    await post('/api/resource/Shelf', { name: 'New', parent_shelf: 'Old' });
    assert.equal(await names('Shelf', [['name', 'descendants of', 'Old']]), 'New');
  });
});
