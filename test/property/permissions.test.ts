import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { loadGrants } from '../../src/access/grants.ts';
import { type CurrentUser, currentUser } from '../../src/access/user.ts';
import type { Connection, Row } from '../../src/db/database.ts';
import { ident, sql } from '../../src/db/sql.ts';
import { type DocType, type DoctypeRegistry, type Document, RIGHTS } from '../../src/doctype/doctype.ts';
import { buildRegistry } from '../../src/doctype/registry.ts';
import type { Context } from '../../src/document/contract.ts';
import { countDocuments, listDocuments, pickDocuments } from '../../src/document/list/list.ts';
import { presentDocument } from '../../src/document/load/present.ts';
import { hasRightOn } from '../../src/document/load/rights-on.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { readDocument, readStored } from '../../src/document/verbs/read.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { describeEither } from '../support/describe-site.ts';
import type { TestSite } from '../support/site.ts';
import { fill } from '../support/tables.ts';
import { may, mayAtLevel, REGIONS, type World, world } from './permission-oracle.ts';

const MOMENT = '2026-01-01 00:00:00.000000';
const STAMP = { creation: MOMENT, modified: MOMENT, modified_by: 'Administrator' };
const ALL = { filters: [], limit_page_length: 100, order_by: 'name' };

class Undo extends Error {}

describeEither('permissions', {}, (site) => {
  before(async () => {
    const link = (options: string) => ({ fieldtype: 'Link', options });
    const price = { fieldname: 'price', fieldtype: 'Int', permlevel: 1 };
    for (const doctype of [
      { name: 'Region', is_tree: 1, fields: [{ fieldname: 'title', fieldtype: 'Data' }] },
      { name: 'Item Line', istable: 1, fields: [{ fieldname: 'region', ...link('Region') }, price] },
      {
        name: 'Item',
        fields: [
          { fieldname: 'title', fieldtype: 'Data' },
          { fieldname: 'region', ...link('Region') },
          { fieldname: 'lines', fieldtype: 'Table', options: 'Item Line' },
          price,
        ],
      },
    ]) {
      await site.make('DocType', doctype);
    }
    const buddy = { dt: 'Item', fieldname: 'buddy', ...link('Item') };
    await site.make('Custom Field', buddy);
  });

  test('every way to a document agrees with the oracle about it', async () => {
    await fc.assert(
      fc.asyncProperty(world, (one) =>
        site.site.database
          .transaction(async (db) => {
            await inhabit(db, site.site.doctypes, one);
            await compare(await contextOf(db, site, one), one);
            throw new Undo();
          })
          .catch((error: unknown) => {
            if (!(error instanceof Undo)) throw error;
          }),
      ),
      { numRuns: 120 },
    );
  });
});

async function inhabit(db: Connection, doctypes: DoctypeRegistry, one: World): Promise<void> {
  const put = (doctype: string, rows: readonly Row[]) =>
    fill(
      db,
      doctypes.get(doctype),
      rows.map((row) => ({ ...STAMP, owner: 'Administrator', ...row })),
    );
  const place = { parenttype: 'Item', parentfield: 'lines' };
  await put(
    'Region',
    Object.entries(REGIONS).map(([name, above]) => ({ name, parent_region: above, is_group: 1 })),
  );
  await put(
    'Item',
    one.items.map(({ lines: _, ...item }) => ({ ...item, title: 'same', price: 1 })),
  );
  await put(
    'Item Line',
    one.items.flatMap(({ name, lines }) =>
      lines.map((region, at) => ({
        ...place,
        name: `${name}-${at}`,
        parent: name,
        idx: at + 1,
        region,
        price: 1,
      })),
    ),
  );
  await put(
    'File',
    one.items.map(({ name }) => ({
      name: `file-${name}`,
      is_private: 1,
      file_name: 'x',
      attached_to_doctype: 'Item',
      attached_to_name: name,
    })),
  );
  await put(
    'User Permission',
    one.permissions.map((permission, at) => ({ ...permission, name: `p${at}`, user: one.user })),
  );
  await put(
    'DocShare',
    one.shares.map((share, at) => ({
      ...share,
      name: `s${at}`,
      share_doctype: 'Item',
      read: 1,
      everyone: share.user === null ? 1 : 0,
    })),
  );
}

async function contextOf(db: Connection, { site }: TestSite, one: World): Promise<Context> {
  const all = site.doctypes.all().map((doctype): DocType => {
    if (doctype.name === 'Item') return { ...doctype, permissions: one.rows };
    if (doctype.name !== 'Region') return doctype;
    // What may be linked to is not what this is about.
    const anybody = { role: 'All', permlevel: 0, if_owner: false, rights: new Set(RIGHTS) };
    return { ...doctype, permissions: [anybody] };
  });
  const grants = await loadGrants(db, one.user, one.strict);
  // Users without access to the desk would list only their own files.
  const user: CurrentUser = currentUser(one.user, one.roles, { grants, hasDesk: true });
  const doctypes = buildRegistry(all, 1);
  const nothing = () => {};
  const beforehand = <R>(_key: string, prepare: () => Promise<R>) => prepare();
  const effects = { beforehand, afterCommit: nothing, dropCaches: nothing, onRollback: nothing };
  return { site, user, db, doctypes, depth: 0, events: [], ...effects };
}

/** What an action gives; null when it is refused for want of permission. */
async function attempt<T>(action: () => Promise<T>): Promise<T | null> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof ServiceError && error.type === 'PermissionError') return null;
    throw error;
  }
}

async function compare(ctx: Context, one: World): Promise<void> {
  const itemDoctype = ctx.doctypes.get('Item');
  const readable = one.items.filter((item) => may(one, 'read', item));
  const names = readable.map(({ name }) => name);
  const namesOf = async (listing: Promise<Row[]>) =>
    ((await attempt(() => listing)) ?? []).map((row) => row['name']);

  assert.deepEqual(await namesOf(listDocuments(ctx, 'Item', ALL)), names, 'listed');
  assert.deepEqual(await namesOf(pickDocuments(ctx, 'Item', ALL)), names, 'picked');
  assert.deepEqual(
    await namesOf(listDocuments(ctx, 'Item', { ...ALL, or_filters: [['title', 'like', '%am%']] })),
    names,
    'found',
  );
  // Twice: the second time without a walk that found too few.
  for (const limit of [1, 2, 1, 2]) {
    const page = { filters: [], limit, order_by: 'modified desc' };
    const newest = names.toReversed();
    assert.deepEqual(await namesOf(listDocuments(ctx, 'Item', page)), newest.slice(0, limit), 'a page');
    const rest = listDocuments(ctx, 'Item', { ...page, limit_start: 1 });
    assert.deepEqual(await namesOf(rest), newest.slice(1, limit + 1), 'a later page');
  }
  assert.equal((await attempt(() => countDocuments(ctx, 'Item', {}))) ?? 0, names.length, 'counted');
  assert.deepEqual(
    await namesOf(listDocuments(ctx, 'File', { ...ALL, filters: { attached_to_doctype: 'Item' } })),
    names.map((name) => `file-${name}`),
    'files listed',
  );
  assert.deepEqual(
    await namesOf(listDocuments(ctx, 'Item Line', { ...ALL, parent: 'Item' })),
    readable.flatMap(({ name, lines }) => lines.map((_, at) => `${name}-${at}`)),
    'rows listed',
  );

  for (const item of one.items) {
    const { name } = item;
    const doc = await attempt(() => readDocument(ctx, 'Item', name));
    assert.equal(doc !== null, may(one, 'read', item), `read ${name}`);
    if (doc) {
      const lines = doc['lines'] as { price?: unknown }[];
      const shown = [doc, ...lines].map((holder) => holder['price'] !== undefined);
      assert.deepEqual(new Set(shown), new Set([mayAtLevel(one, 'read')]), `fields of ${name}`);
    }
    await compareStored(ctx, 'Item', name, doc);
    const file = await attempt(() => readDocument(ctx, 'File', `file-${name}`));
    assert.equal(file !== null, may(one, 'read', item), `file of ${name}`);
    await compareStored(ctx, 'File', `file-${name}`, file);
    assert.equal(await hasRightOn(ctx, itemDoctype, name, 'write'), may(one, 'write', item));
  }
  for (const item of one.items) {
    const { name } = item;
    const rows = item.lines.map((_, at) => ({ name: `${name}-${at}`, region: item.lines[at], price: 9 }));
    const saved = await attempt(() =>
      updateDocument(ctx, 'Item', name, { title: 'new', price: 9, lines: rows }),
    );
    assert.equal(saved !== null, may(one, 'write', item), `write ${name}`);
    const price = saved !== null && mayAtLevel(one, 'write') ? 9 : 1;
    assert.deepEqual(await prices(ctx, name), [price, ...rows.map(() => price)], `prices of ${name}`);
  }
  for (const item of one.items) {
    const gone = await attempt(async () => {
      try {
        await deleteDocument(ctx, 'Item', item.name);
      } catch (error) {
        // Allowed, but something links to it.
        if (!(error instanceof ServiceError && error.type === 'LinkExistsError')) throw error;
      }
      return true;
    });
    assert.equal(gone !== null, may(one, 'delete', item), `delete ${item.name}`);
  }
}

/** The reply of a row shows what the document shows, or there is none. */
async function compareStored(
  ctx: Context,
  doctype: string,
  name: string,
  doc: Document | null,
): Promise<void> {
  const stored = await attempt(() => readStored(ctx, doctype, name));
  if (!stored) return;
  assert.ok(doc, `${name} from its row`);
  const wire = presentDocument(ctx.doctypes, doc, { nulls: false, precision: 'seconds' });
  assert.equal(stored.text('seconds'), JSON.stringify(wire));
}

async function prices(ctx: Context, name: string): Promise<unknown[]> {
  const own = await ctx.db.all(sql`select "price" from ${ident('Item')} where "name" = ${name}`);
  const lines = await ctx.db.all(
    sql`select "price" from ${ident('Item Line')} where "parent" = ${name} order by "idx"`,
  );
  return [...own, ...lines].map((row) => row['price']);
}
