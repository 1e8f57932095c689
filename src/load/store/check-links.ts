import type { Connection } from '../../db/database.ts';
import { EMPTY, ident, type Sql, sql } from '../../db/sql.ts';
import type { DocField, DocType } from '../../doctype/doctype.ts';
import { nameInText, nameText } from '../../doctype/numbered.ts';
import { OLD_PARENT_FIELD } from '../../doctype/tree.ts';
import type { Site } from '../../document/contract.ts';
import type { LoadOfApplier } from '../applier.ts';
import type { LoadProblem } from '../problems.ts';

/** Entries of the ledger whose links one statement checks. */
const CHUNK = 4_000;

/** A part of the ledger. */
interface Chunk {
  readonly load: string;
  /** Numbers of its entries: after `from`, up to `to`. */
  readonly from: number;
  readonly to: number;
}

/** A table whose rows hold links: that of the documents, or one of their child tables. */
interface Holder {
  readonly doctype: DocType;
  readonly holding: DocType;
  /** The field of the child table; null for the documents themselves. */
  readonly table: DocField | null;
}

/**
 * Checks every Link and Dynamic Link of the documents that a load has stored, once all are stored: so a load may have
 * cycles. Writes each broken one into the log. Resolves to their number.
 */
export async function checkLoadedLinks(site: Site, of: LoadOfApplier): Promise<number> {
  const { reader } = site.database;
  let broken = 0;
  await refreshStatistics(site, of.load);
  for await (const chunk of chunksOf(reader, of.load)) {
    for (const doctype of await doctypesIn(site, chunk)) {
      const problems: LoadProblem[] = [];
      for (const holder of holdersOf(site, doctype))
        problems.push(...(await brokenLinks(site, holder, chunk)));
      if (problems.length === 0) continue;
      broken += problems.length;
      await noteAll(site, of, problems);
    }
  }
  return broken + (await checkCircles(site, of));
}

/** Nodes that are below themselves; at most so many of one tree are named. */
const CIRCLE = 100;

/** Finds loaded trees whose nodes form a circle, so that no root leads to them. Resolves to the number of nodes. */
async function checkCircles(site: Site, of: LoadOfApplier): Promise<number> {
  const { reader } = site.database;
  let found = 0;
  for (const doctype of site.doctypes.all().filter(({ is_tree }) => is_tree)) {
    const loaded = await reader.get(
      sql`select 1 as "one" from "_load_row" where "load" = ${of.load} and "doctype" = ${doctype.name} limit 1`,
    );
    if (!loaded) continue;
    const table = ident(doctype.name);
    const parent = sql`"n".${ident(doctype.nsm_parent_field)}`;
    const name = nameText(doctype, sql`"n"."name"`);
    const isRoot = sql`(${parent} is null or ${parent} = '' or not exists (select 1 from ${table} as "p"
      where "p"."name" = ${nameInText(doctype, parent, site.database.dialect)}))`;
    const rows = await reader.all(
      sql`with recursive "reached" ("name") as (
            select ${name} from ${table} as "n" where ${isRoot}
            union select ${name} from "reached" join ${table} as "n" on ${parent} = "reached"."name"
          ) select ${name} as "name", ${parent} as "parent" from ${table} as "n"
          where ${name} not in (select "name" from "reached") order by "n"."name" limit ${CIRCLE}`,
    );
    const problems = rows.map((row): LoadProblem => {
      const at = { doctype: doctype.name, key: String(row['name']), row: 0 };
      const reason = 'The node is below itself';
      return { kind: 'link', ...at, field: doctype.nsm_parent_field, value: String(row['parent']), reason };
    });
    if (problems.length > 0) await noteAll(site, of, problems);
    found += problems.length;
  }
  return found;
}

function noteAll({ database }: Site, of: LoadOfApplier, problems: readonly LoadProblem[]): Promise<void> {
  return database.transaction(async (db) => {
    await of.hold(db);
    await of.note(db, problems);
  });
}

/** PostgreSQL plans the checks for the tables as they are now, and not as they were before the load. */
async function refreshStatistics(site: Site, load: string): Promise<void> {
  const { database, doctypes } = site;
  if (database.dialect.name !== 'postgres') return;
  const rows = await database.reader.all(
    sql`select "doctype" from "_load_row" where "load" = ${load} group by "doctype" having count(*) > 1000`,
  );
  const loaded = rows.flatMap((row) => doctypes.find(String(row['doctype'])) ?? []);
  const children = loaded.flatMap(({ tables }) => tables.map(({ options }) => doctypes.get(options)));
  const names = new Set([...loaded, ...children].map(({ name }) => name));
  if (names.size === 0) return;
  for (const name of ['_load_row', ...names])
    await database.transaction((db) => db.run(sql`analyze ${ident(name)}`));
}

async function* chunksOf(reader: Connection, load: string): AsyncGenerator<Chunk> {
  for (let from = -1; ; ) {
    const row = await reader.get(
      sql`select max("seq") as "to" from (select "seq" from "_load_row" where "load" = ${load} and "seq" > ${from}
          order by "seq" limit ${CHUNK}) as "chunk"`,
    );
    if (typeof row?.['to'] !== 'number') return;
    yield { load, from, to: row['to'] };
    from = row['to'];
  }
}

async function doctypesIn({ database, doctypes }: Site, { load, from, to }: Chunk): Promise<DocType[]> {
  const rows = await database.reader.all(
    sql`select distinct "doctype" from "_load_row" where "load" = ${load} and "seq" > ${from} and "seq" <= ${to}`,
  );
  return rows.flatMap((row) => doctypes.find(String(row['doctype'])) ?? []);
}

function holdersOf({ doctypes }: Site, doctype: DocType): Holder[] {
  const children = doctype.tables.map((table) => ({ doctype, holding: doctypes.get(table.options), table }));
  return [{ doctype, holding: doctype, table: null }, ...children];
}

async function brokenLinks(site: Site, holder: Holder, chunk: Chunk): Promise<LoadProblem[]> {
  const { reader } = site.database;
  const problems: LoadProblem[] = [];
  for (const field of holder.holding.links) {
    // It repeats the parent.
    if (holder.holding.is_tree && field.fieldname === OLD_PARENT_FIELD) continue;
    problems.push(...(await brokenIn(site, holder, chunk, field, field.options, EMPTY)));
  }
  for (const field of holder.holding.dynamicLinks) {
    const type = sql`"h".${ident(field.options)}`;
    const types = await reader.all(
      sql`select distinct ${type} as "type" ${rowsOf(site, holder, chunk)} and ${linkOf(field)} is not null`,
    );
    for (const { type: target } of types) {
      if (typeof target !== 'string') continue;
      problems.push(...(await brokenIn(site, holder, chunk, field, target, sql` and ${type} = ${target}`)));
    }
  }
  return problems;
}

function linkOf(field: DocField): Sql {
  return sql`"h".${ident(field.fieldname)}`;
}

/** The stored rows of this holder, as `h`, with their entries, as `l`. */
function rowsOf(site: Site, { doctype, holding, table }: Holder, { load, from, to }: Chunk): Sql {
  const on = table
    ? sql`"h"."parent" = "l"."name" and "h"."parenttype" = ${doctype.name} and "h"."parentfield" = ${table.fieldname}`
    : sql`"h"."name" = ${nameInText(doctype, sql`"l"."name"`, site.database.dialect)}`;
  return sql`from "_load_row" as "l" join ${ident(holding.name)} as "h" on ${on}
    where "l"."load" = ${load} and "l"."doctype" = ${doctype.name} and "l"."seq" > ${from} and "l"."seq" <= ${to}
    and "l"."action" in ('inserted', 'updated')`;
}

async function brokenIn(
  site: Site,
  holder: Holder,
  chunk: Chunk,
  field: DocField,
  targetName: string,
  more: Sql,
): Promise<LoadProblem[]> {
  const target = site.doctypes.find(targetName);
  // Documents of controllers and of views are not in tables.
  if (target && (target.rowsFrom !== 'table' || target.issingle)) return [];
  const link = linkOf(field);
  const missing = target
    ? sql` and not exists (select 1 from ${ident(target.name)} as "t"
        where "t"."name" = ${nameInText(target, link, site.database.dialect)})`
    : EMPTY;
  const rows = await site.database.reader.all(
    sql`select "l"."key", "l"."row", ${link} as "link" ${rowsOf(site, holder, chunk)}
        and ${link} is not null and ${link} <> ''${more}${missing}`,
  );
  return rows.map((row) => ({
    kind: 'link',
    doctype: holder.doctype.name,
    key: String(row['key']),
    row: Number(row['row']),
    field: holder.table ? `${holder.table.fieldname}.${field.fieldname}` : field.fieldname,
    value: String(row['link']),
    reason: `${targetName} ${row['link']} not found`,
  }));
}
