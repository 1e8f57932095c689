import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import type { LoadRun } from '../../src/load/run-load.ts';
import { storeApplier } from '../../src/load/store/store-applier.ts';
import { describeEither } from '../support/describe-site.ts';
import { checkRecords, logOf, storeOptions, storeRecords, undoRecords } from '../support/load.ts';
import { until } from '../support/until.ts';

const PERMISSIONS = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];

const DOCTYPES = [
  { name: 'Load Node', autoname: 'prompt', is_tree: 1, fields: [], permissions: PERMISSIONS },
  { name: 'Load Number', autoname: 'autoincrement', fields: [], permissions: PERMISSIONS },
  {
    name: 'Load Line',
    istable: 1,
    fields: [
      { fieldname: 'item', label: 'Item', fieldtype: 'Link', options: 'Load Number' },
      { fieldname: 'qty', label: 'Qty', fieldtype: 'Float' },
      { fieldname: 'pin', label: 'Pin', fieldtype: 'Password' },
    ],
  },
  {
    name: 'Load Order',
    autoname: 'ORD-.YYYY.-.#####',
    is_submittable: 1,
    fields: [
      { fieldname: 'title', label: 'Title', fieldtype: 'Data', reqd: 1 },
      { fieldname: 'code', label: 'Code', fieldtype: 'Data', unique: 1 },
      { fieldname: 'size', label: 'Size', fieldtype: 'Select', options: 'S\nM' },
      { fieldname: 'about', label: 'About', fieldtype: 'Text Editor' },
      { fieldname: 'count', label: 'Count', fieldtype: 'Int' },
      { fieldname: 'next', label: 'Next', fieldtype: 'Link', options: 'Load Order' },
      { fieldname: 'type', label: 'Type', fieldtype: 'Link', options: 'DocType' },
      { fieldname: 'other', label: 'Other', fieldtype: 'Dynamic Link', options: 'type' },
      { fieldname: 'lines', label: 'Lines', fieldtype: 'Table', options: 'Load Line' },
    ],
    permissions: PERMISSIONS,
  },
];

const TIMES = {
  owner: 'jane@example.com',
  creation: '2019-01-02 03:04:05.678901',
  modified: '2020-02-03 04:05:06.000007',
  modified_by: 'joe@example.com',
};

describeEither('the loading operation', { doctypes: DOCTYPES }, (server) => {
  const order = (name: string, values: object = {}) => ({ doctype: 'Load Order', name, ...TIMES, ...values });

  test('stores documents as they were, with their rows, in a cycle of links', async () => {
    const load = await storeRecords(server.site, [
      order('ORD-2019-00007', {
        docstatus: 2,
        idx: 4,
        next: 'ORD-2019-00008',
        size: 'XXL',
        _user_tags: ',red',
        lines: [{ name: 'row1', item: 41, qty: '2.5', pin: 'abc', ...TIMES, idx: 3 }],
      }),
      order('ORD-2019-00008', { docstatus: 1, next: 'ORD-2019-00007' }),
      { doctype: 'Load Number', name: 41, ...TIMES },
    ]);
    const { status, counts, brokenLinks } = load;
    assert.deepEqual([status, counts.inserted, counts.failed, brokenLinks], ['Done', 3, 0, 0]);
    assert.deepEqual(await logOf(server.site, load), []);
    const doc = await server.did('GET', 'Load Order/ORD-2019-00007');
    const { owner, creation, modified, modified_by, docstatus, idx, size, _user_tags } = doc;
    assert.deepEqual(
      { owner, creation: creation.slice(0, 19), modified: modified.slice(0, 19), modified_by },
      { ...TIMES, creation: TIMES.creation.slice(0, 19), modified: TIMES.modified.slice(0, 19) },
    );
    assert.deepEqual(
      { docstatus, idx, size, _user_tags },
      { docstatus: 2, idx: 4, size: 'XXL', _user_tags: ',red' },
    );
    const [row] = doc.lines;
    assert.deepEqual([row.name, row.idx, row.qty, row.pin], ['row1', 3, 2.5, '*'.repeat(10)]);
  });

  test('moves series and numbers past the names', async () => {
    await storeRecords(server.site, [order('ORD-2026-00050'), { doctype: 'Load Number', name: 90 }]);
    const year = new Date().getFullYear();
    await storeRecords(server.site, [order(`ORD-${year}-00060`)]);
    const { name } = await server.make('Load Order', { title: 'x' });
    assert.equal(name, `ORD-${year}-00061`);
    assert.equal((await server.make('Load Number', {})).name, 91);
  });

  describe('with bad records', () => {
    test('stores the others, and lists each bad value with its row and field', async () => {
      const many = Array.from({ length: 20 }, (_, index) => order(`GOOD-${index}`, { code: `c${index}` }));
      const load = await storeRecords(server.site, [
        ...many,
        order('BAD-1', { count: 'many', creation: 'yesterday' }),
        order('BAD-2', { code: 'c3' }),
        order('', {}),
        order('BAD-3', { lines: [{ qty: 'x' }] }),
        order('LAST', {
          code: 'last',
          next: 'Nobody',
          lines: [{ item: '1000' }],
          about: '<p onclick="x()">a</p>',
        }),
        order('DYN', { type: 'Load Order', other: 'No one' }),
        { doctype: 'Nothing', name: 'x' },
        { doctype: 'DocType', name: 'x' },
      ]);
      assert.deepEqual([load.status, load.counts.inserted, load.counts.failed], ['Done', 22, 6]);
      assert.equal(load.brokenLinks, 3);
      assert.deepEqual((await logOf(server.site, load)).sort(), [
        'changed 25 about <p onclick="x()">a</p>: Unsafe HTML was taken out',
        'error 21 count many: Count must be a number, not "many"',
        'error 21 creation yesterday: It must be a date and time as YYYY-MM-DD HH:MM:SS',
        'error 22  : Code must be unique',
        'error 23  : A key has 1 to 300 characters',
        'error 24 lines.qty x: Qty must be a number, not "x"',
        'error 27  : DocType Nothing not found',
        'error 28  : DocType: definitions come before all documents',
        'link 25 lines.item 1000: Load Number 1000 not found',
        'link 25 next Nobody: Load Order Nobody not found',
        'link 26 other No one: Load Order No one not found',
      ]);
      assert.equal((await server.did('GET', 'Load Order/LAST')).about, '<p>a</p>');
    });
  });

  test('a check lists what a load would refuse, in any batches, and stores nothing', async () => {
    await storeRecords(server.site, [order('HERE', { code: 'taken' })]);
    const records = [
      order('NEW-1', { code: 'one', about: '<p onclick="x()">a</p>' }),
      order('HERE'),
      order('NEW-1', { count: 2 }),
      order('NEW-2', { code: 'taken' }),
      order('NEW-3', { code: 'one', next: 'Nobody' }),
      order('NEW-4', { count: 'many' }),
      { doctype: 'Load Number', name: 700 },
    ];
    const expected = [
      'changed 1 about <p onclick="x()">a</p>: Unsafe HTML was taken out',
      'error 2 name HERE: A document of this name exists',
      'error 3 name NEW-1: A document of this name exists',
      'error 4  : Code must be unique',
      'error 5 code one: Line 1 has the same Code',
      'error 6 count many: Count must be a number, not "many"',
    ];
    const checked = await checkRecords(server.site, records);
    assert.deepEqual((await logOf(server.site, checked)).sort(), expected);
    const { status, counts } = checked;
    assert.deepEqual([status, counts.inserted, counts.failed], ['Checked', 2, 5]);
    for (const name of ['Load Order/NEW-1', 'Load Number/700']) {
      assert.equal((await server.request('GET', `/api/resource/${name}`)).status, 404);
    }
    for (const [options, wanted] of [
      [{ skipExisting: true }, { inserted: 2, updated: 0, skipped: 2, failed: 3 }],
      [{ mode: 'Update' }, { inserted: 0, updated: 0, skipped: 0, failed: 6 }],
      [{ mode: 'Upsert' }, { inserted: 2, updated: 1, skipped: 0, failed: 3 }],
    ] as const) {
      const { unchanged: _, ...rest } = (await checkRecords(server.site, records, options)).counts;
      assert.deepEqual(rest, wanted, JSON.stringify(options));
    }
    // The same load stores what was good.
    const run = await storeRecords(server.site, records, { load: checked.name });
    assert.deepEqual([run.status, run.counts.inserted, run.counts.failed], ['Done', 2, 5]);
    await undoRecords(server.site, run.name);
  });

  test('inserts a name once, however far apart its records are', async () => {
    const same = [1, 2, 3].map((count) => order('TWICE', { count }));
    for (const batch of [1, 3]) {
      for (const skipExisting of [false, true]) {
        const store = storeOptions(server.site, { skipExisting });
        const applier: LoadRun['applier'] = (of) => ({ ...storeApplier(store)(of), batch });
        const { name, counts } = await storeRecords(server.site, same, { applier });
        const { inserted, updated, skipped, failed } = counts;
        assert.deepEqual(
          [inserted, updated, skipped, failed],
          skipExisting ? [1, 0, 2, 0] : [1, 0, 0, 2],
          `${batch} ${skipExisting}`,
        );
        assert.equal((await server.did('GET', 'Load Order/TWICE')).count, 1);
        assert.equal((await undoRecords(server.site, name)).undone, 1);
      }
    }
  });

  test('shows that it works on, while its checks take long', async ({ mock }) => {
    mock.timers.enable({ apis: ['setInterval'] });
    const changes = () =>
      server.site.database.reader.get(
        sql`select max("_revision") as "last" from "Data Load" where "status" = 'Running'`,
      );
    const finish = async () => {
      const before = Number((await changes())?.['last']);
      mock.timers.tick(10_000);
      await until(changes, (now) => Number(now?.['last']) > before);
      return 0;
    };
    const applier: LoadRun['applier'] = (of) => ({ ...storeApplier(storeOptions(server.site))(of), finish });
    const { status } = await storeRecords(server.site, [order('SLOW')], { applier });
    assert.equal(status, 'Done');
  });

  test('updates what a record states, and an undo brings the former values back', async () => {
    const line = { name: 'u-line', qty: 1, ...TIMES };
    await storeRecords(server.site, [order('U-1', { title: 'old', count: 1, lines: [line] }), order('U-2')]);
    const before = await server.did('GET', 'Load Order/U-1');
    const changes = [
      { doctype: 'Load Order', name: 'U-1', title: 'new', lines: [{ name: 'u-new', qty: 5 }] },
      { ...order('U-2') },
      order('U-3'),
      order('U-4'),
      order('U-5', { next: 'U-3' }),
    ];
    const refused = await storeRecords(server.site, changes.slice(0, 1));
    assert.deepEqual(await logOf(server.site, refused), ['error 1 name U-1: A document of this name exists']);
    const load = await storeRecords(server.site, changes, { mode: 'Upsert' });
    const { inserted, updated, unchanged } = load.counts;
    assert.deepEqual([inserted, updated, unchanged], [3, 1, 1]);
    const after = await server.did('GET', 'Load Order/U-1');
    assert.deepEqual([after.title, after.count, after.lines[0].qty, after.owner], ['new', 1, 5, TIMES.owner]);
    await server.did('PUT', 'Load Order/U-4', { title: 'changed since' });
    await storeRecords(server.site, [order('U-6', { next: 'U-5' })]);

    const undone = await undoRecords(server.site, load.name);
    assert.deepEqual([undone.status, undone.undone, undone.kept], ['Undone', 2, 3]);
    assert.deepEqual((await logOf(server.site, undone)).sort(), [
      'undo 3  : Load Order U-5 links to it',
      'undo 4  : The document has changed since',
      'undo 5  : Load Order U-6 links to it',
    ]);
    assert.deepEqual(await server.did('GET', 'Load Order/U-1'), before);
    await server.did('DELETE', 'Load Order/U-6');
    const again = await undoRecords(
      server.site,
      (await storeRecords(server.site, [order('U-7', { lines: [{ name: 'u7', pin: 'x' }] })])).name,
    );
    assert.deepEqual([again.undone, again.kept], [1, 0]);
    assert.equal((await server.request('GET', '/api/resource/Load Order/U-7')).status, 404);
    const secrets = sql`select "fieldname" from "_secret" where "doctype" = 'Load Line' and "name" = 'u7'`;
    assert.deepEqual(await server.site.database.reader.all(secrets), []);
  });

  test('an undo takes back a link to a document that it deletes', async () => {
    await storeRecords(server.site, [order('L-1')]);
    const changes = [order('L-2'), order('L-1', { next: 'L-2' })];
    const { name } = await storeRecords(server.site, changes, { mode: 'Upsert' });
    const { undone, kept } = await undoRecords(server.site, name);
    assert.deepEqual([undone, kept], [2, 0]);
    assert.equal((await server.did('GET', 'Load Order/L-1')).next ?? null, null);
  });

  test('loads a tree in any order, and finds nodes in a circle', async () => {
    const node = (name: string, parent: string | null) => ({
      ...{ doctype: 'Load Node', name, parent_load_node: parent, is_group: 1 },
    });
    const load = await storeRecords(server.site, [
      ...[node('leaf', 'branch'), node('branch', 'root'), node('root', null)],
      ...[node('one', 'two'), node('two', 'one'), node('lost', 'nowhere')],
    ]);
    assert.deepEqual((await logOf(server.site, load)).sort(), [
      'link 0 parent_load_node one: The node is below itself',
      'link 0 parent_load_node two: The node is below itself',
      'link 6 parent_load_node nowhere: Load Node nowhere not found',
    ]);
    const below = await server.did('GET', 'Load Node?filters=[["name","descendants of","root"]]');
    assert.deepEqual(below.map(({ name }: { name: string }) => name).sort(), ['branch', 'leaf']);
  });

  test('announces documents to webhooks only when asked', async () => {
    await server.make('Webhook', {
      ...{ webhook_doctype: 'Load Order', webhook_docevent: 'after_insert' },
      ...{ request_url: 'http://127.0.0.1:9/', enabled: 1 },
    });
    const deliveries = async () => {
      const row = await server.site.database.reader.get(
        sql`select count(*) as "count" from "_webhook_delivery"`,
      );
      return Number(row?.['count']);
    };
    await storeRecords(server.site, [order('W-1')]);
    assert.equal(await deliveries(), 0);
    await storeRecords(server.site, [order('W-2')], { events: true });
    assert.equal(await deliveries(), 1);
  });
});
