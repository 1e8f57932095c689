import { allows } from '../access/permission.ts';
import { ident, join, type Sql, sql } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';
import { LIMITS } from '../kernel/limits.ts';
import { NEVER_BLOCKING } from './check/back-links.ts';
import type { Context } from './context.ts';
import { readableRows } from './list.ts';
import { readDocument } from './read.ts';

/** A document that links to another. */
export interface LinkedDocument {
  readonly name: string;
  readonly docstatus: number;
  /** As stored. */
  readonly modified: string;
}

/** The documents of one doctype that link to a document, as far as the user may read them. */
export interface LinkedDocuments {
  readonly doctype: string;
  /** At most `LIMITS.countCap`. */
  readonly count: number;
  /** There are more than `count`. */
  readonly isCapped: boolean;
  /** The last changed, at most `LIMITS.linkedNames`. */
  readonly first: readonly LinkedDocument[];
}

/**
 * What links to a document, by Link and Dynamic Link, in fields and in rows (which stand for their parent). Only
 * documents the user may read are counted; records about documents, such as comments, are not.
 * @throws ServiceError PermissionError, DoesNotExistError
 */
export async function linkedDocuments(
  ctx: Context,
  doctypeName: string,
  name: string,
): Promise<LinkedDocuments[]> {
  const target = await readDocument(ctx, doctypeName, name);
  const found: LinkedDocuments[] = [];
  for (const [doctype, conditions] of referringConditions(ctx, target.doctype, target.name)) {
    if (doctype.is_virtual || NEVER_BLOCKING.has(doctype.name)) continue;
    if (!allows(ctx.user, doctype, 'read')) continue;
    const linked = await linkedOf(ctx, doctype, conditions, target);
    if (linked.count > 0) found.push(linked);
  }
  return found;
}

/** Conditions on a doctype's rows, any of which makes a document one that links to the target. */
function referringConditions(ctx: Context, doctypeName: string, name: string): Map<DocType, Sql[]> {
  const byDoctype = new Map<DocType, Sql[]>();
  const links = [
    ...ctx.doctypes.linksTo(doctypeName).map((link) => ({ ...link, meant: sql`` })),
    ...ctx.doctypes.dynamicLinks().map((link) => ({
      ...link,
      meant: sql` and ${ident(link.field.options)} = ${doctypeName}`,
    })),
  ];
  for (const { doctype, field, meant } of links) {
    const condition = sql`${ident(field.fieldname)} = ${name}${meant}`;
    if (doctype.istable) addParents(ctx, byDoctype, doctype, condition);
    else add(byDoctype, doctype, condition);
  }
  return byDoctype;
}

function addParents(ctx: Context, byDoctype: Map<DocType, Sql[]>, child: DocType, condition: Sql): void {
  if (child.is_virtual) return;
  for (const parent of new Set(ctx.doctypes.parentsOf(child.name).map((link) => link.doctype))) {
    add(
      byDoctype,
      parent,
      sql`"name" in (select "parent" from ${ident(child.name)}
        where "parenttype" = ${parent.name} and ${condition})`,
    );
  }
}

function add(byDoctype: Map<DocType, Sql[]>, doctype: DocType, condition: Sql): void {
  const conditions = byDoctype.get(doctype);
  if (conditions) conditions.push(condition);
  else byDoctype.set(doctype, [condition]);
}

async function linkedOf(
  ctx: Context,
  doctype: DocType,
  conditions: readonly Sql[],
  target: { readonly doctype: string; readonly name: string },
): Promise<LinkedDocuments> {
  const readable = readableRows(ctx, doctype);
  const itself = doctype.name === target.doctype ? sql` and "name" <> ${target.name}` : sql``;
  const where = sql`where (${join(
    conditions.map((condition) => sql`(${condition})`),
    ' or ',
  )})${itself}${readable ? sql` and (${readable})` : sql``}`;
  const table = ident(doctype.name);
  const counted = await ctx.db.get(sql`
    select count(*) as "count" from (select 1 as "one" from ${table} ${where} limit ${LIMITS.countCap + 1}) as "some"`);
  const found = Number(counted?.['count'] ?? 0);
  const [count, isCapped] = [Math.min(found, LIMITS.countCap), found > LIMITS.countCap];
  if (count === 0) return { doctype: doctype.name, count, isCapped, first: [] };
  const rows = await ctx.db.all(
    sql`select "name", "docstatus", "modified" from ${table} ${where}
        order by "modified" desc, "name" limit ${LIMITS.linkedNames}`,
  );
  const first = rows.map((row) => ({
    name: String(row['name']),
    docstatus: Number(row['docstatus']),
    modified: String(row['modified']),
  }));
  return { doctype: doctype.name, count, isCapped, first };
}
