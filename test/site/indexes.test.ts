import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sharedNames } from '../../src/access/row-filter.ts';
import type { Connection } from '../../src/db/database.ts';
import { Sql, sql } from '../../src/db/sql.ts';
import { readContext } from '../../src/document/context.ts';
import { listDocuments } from '../../src/document/list/list.ts';
import { openMemorySite, STAFF } from '../support/memory-site.ts';
import { ENGINES } from '../support/postgres.ts';

const DOCTYPES = [
  { name: 'Maker', autoname: 'hash', fields: [{ fieldname: 'title', fieldtype: 'Data' }] },
  {
    name: 'Piece',
    autoname: 'hash',
    indexes: [['colour', 'weight']],
    fields: [
      { fieldname: 'maker', fieldtype: 'Link', options: 'Maker' },
      { fieldname: 'kind', fieldtype: 'Data', options: '' },
      { fieldname: 'ref', fieldtype: 'Dynamic Link', options: 'kind' },
      { fieldname: 'serial', fieldtype: 'Data', search_index: 1 },
      { fieldname: 'state', fieldtype: 'Select', options: 'In\nOut', search_index: 1 },
      { fieldname: 'colour', fieldtype: 'Data' },
      { fieldname: 'weight', fieldtype: 'Float' },
      { fieldname: 'plain', fieldtype: 'Data' },
    ],
  },
];

const MOMENT = '2026-01-01 00:00:00.000000';
const THEN = '2026-01-01 00:00:10.000000';

for (const engine of ENGINES) {
  test(`${engine}: queries use the automatic and the declared indexes`, async () => {
    const site = await openMemorySite(engine, { doctypes: DOCTYPES });
    await site.database.transaction(async (db) => {
      const at =
        engine === 'sqlite'
          ? sql`printf('2026-01-01 %02d:%02d:%02d.000000', i / 3600, i / 60 % 60, i % 60)`
          : sql`timestamp '2026-01-01' + i * interval '1 second'`;
      const from =
        engine === 'sqlite'
          ? sql`(with recursive s(i) as (select 1 union all select i + 1 from s where i < 20000) select i from s)`
          : sql`(select i from generate_series(1, 20000) as g(i))`;
      await db.run(sql`insert into "Piece" ("name", "creation", "modified", "maker", "kind", "ref", "serial", "state", "colour", "weight")
        select 'p' || i, ${at}, ${at}, 'm' || (i % 500), 'Maker', 'm' || (i % 500), 's' || i, case i % 2 when 0 then 'In' else 'Out' end,
          'c' || (i % 100), i * 1.5 from ${from} as n`);
      if (engine === 'postgres') await db.run(sql`analyze "Piece"`);
    });
    const asked = (parameters: object) =>
      planOf(site.database.reader, (db) =>
        listDocuments({ ...readContext(site, STAFF), db }, 'Piece', { fields: ['name'], ...parameters }),
      );
    const uses = async (what: string, parameters: object) => {
      const plan = await asked(parameters);
      assert.match(plan, /_ix_[0-9a-f]{12}/, `${what}: ${plan}`);
      assert.doesNotMatch(plan, /Seq Scan|SCAN _t(?! USING)/, `${what}: ${plan}`);
    };
    const sorts = (plan: string) => /TEMP B-TREE|Sort/.test(plan);

    for (const order_by of ['modified desc', 'creation asc', 'serial asc', 'serial desc']) {
      await uses(order_by, { order_by });
      assert.ok(!sorts(await asked({ order_by })), order_by);
    }
    await uses('modified', { filters: [['modified', '<', THEN]] });
    await uses('creation', { filters: [['creation', 'between', [MOMENT, THEN]]] });
    await uses('link', { filters: { maker: 'm7' } });
    await uses('dynamic link', { filters: { ref: 'm7' } });
    await uses('search_index', { filters: { serial: 's77' } });
    await uses('search_index on a Select', { filters: { state: 'In' } });
    await uses('declared', { filters: { colour: 'c7' }, order_by: 'weight desc' });
    const plan = await asked({ filters: { plain: 'x' }, order_by: 'weight desc' });
    assert.match(plan, /Seq Scan|SCAN/, 'the check can fail');
    await site.stop();
  });
}

test('sqlite: the documents shared with a user are found by user and doctype, and one of them by its name', async () => {
  const definition = new URL('../../src/standard/doctypes/docshare.json', import.meta.url);
  const site = await openMemorySite('sqlite', { doctypes: [JSON.parse(readFileSync(definition, 'utf8'))] });
  const doctype = site.doctypes.get('DocShare');
  const rule = { user: 'ann', doctype, all: false, own: false, shared: 'read', restrictions: [] } as const;
  const searched = async (query: Sql) => {
    const steps = await site.database.reader.all(sql`explain query plan ${query}`);
    const conditions = steps.map(
      ({ detail }) => /^(?:SEARCH|SCAN) DocShare.*INDEX \w+(.*)/.exec(String(detail))?.[1],
    );
    return conditions.filter((condition) => condition !== undefined);
  };
  assert.deepEqual(await searched(sharedNames(rule)), [
    ' (user=? AND share_doctype=?)',
    ' (everyone=? AND share_doctype=?)',
  ]);
  assert.deepEqual(await searched(sharedNames(rule, 'a document')), [
    ' (user=? AND share_doctype=? AND share_name=? AND read=?)',
    ' (everyone=? AND share_doctype=? AND share_name=? AND read=?)',
  ]);
  await site.stop();
});

/** The plan of the statement that `ask` runs, in the engine's words. */
async function planOf(reader: Connection, ask: (db: Connection) => Promise<unknown>): Promise<string> {
  let seen: Sql | null = null;
  const catching: Connection = {
    ...reader,
    dialect: reader.dialect,
    all: async (query) => {
      if (query instanceof Sql) seen = query;
      return [];
    },
    get: async (query) => {
      if (query instanceof Sql) seen = query;
      return undefined;
    },
    run: async () => 0,
  };
  await ask(catching);
  assert.ok(seen);
  const rows = await reader.all(
    reader.dialect.name === 'sqlite' ? sql`explain query plan ${seen}` : sql`explain ${seen}`,
  );
  return rows.map((row) => row['detail'] ?? row['QUERY PLAN']).join('\n');
}
