import { readableLevels } from '../../access/field-level.ts';
import { allows, reachOf } from '../../access/permission.ts';
import { EMPTY, ident, join, type Sql, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import type { Context } from '../../document/context.ts';
import { readableRows } from '../../document/list.ts';
import { controllerRowFilter } from '../../document/narrowing.ts';
import { hasRightOn } from '../../document/rights-on.ts';
import { carriesHistory } from './carriers.ts';
import { levelsOf } from './diff.ts';

/** Columns of a table of records that say which document a record is about. */
export interface ReferenceColumns {
  readonly type: Sql;
  readonly name: Sql;
  /** The permlevels that it takes to see the record, where it has them. */
  readonly levels?: Sql;
}

/** The records about documents that the user may read: a condition on their own columns. */
export function referenceFilter(ctx: Context, { type, name, levels }: ReferenceColumns): Sql {
  const choices: Sql[] = [];
  // Doctypes of which every document is readable need no look at their tables, and are asked for together.
  const whole = new Map<string, { readonly level: Sql; readonly names: Sql[] }>();
  for (const doctype of ctx.doctypes.all()) {
    if (!carriesHistory(doctype) || !allows(ctx.user, doctype, 'read')) continue;
    const readable = levels ? readableLevelTexts(ctx, doctype) : null;
    const level =
      levels && readable ? sql` and ${levels} in (${join(readable.map((one) => sql`${one}`))})` : EMPTY;
    const rows = doctype.issingle ? singleRows(ctx, doctype) : readableRows(ctx, doctype);
    if (rows) {
      const documents = sql`select "name" from ${ident(doctype.name)} where ${rows}`;
      choices.push(sql`(${type} = ${doctype.name} and ${name} in (${documents})${level})`);
      continue;
    }
    const key = readable?.join(' ') ?? 'all';
    const group = whole.get(key) ?? { level, names: [] };
    group.names.push(sql`${doctype.name}`);
    whole.set(key, group);
  }
  for (const { level, names } of whole.values()) {
    choices.push(sql`(${type} in (${join(names)})${level})`);
  }
  return choices.length === 0 ? sql`1 = 0` : join(choices, ' or ');
}

/** The same for one record, given the document it is about. False also for a document that does not exist. */
export async function mayReadReference(
  ctx: Context,
  doctypeName: string,
  name: string,
  levels = '',
): Promise<boolean> {
  const doctype = ctx.doctypes.find(doctypeName);
  if (!doctype || !carriesHistory(doctype) || !allows(ctx.user, doctype, 'read')) return false;
  const readable = readableLevelTexts(ctx, doctype);
  if (readable && !readable.includes(levels)) return false;
  if (doctype.issingle) return singleRows(ctx, doctype) === null;
  // What hides a document from lists hides what is recorded about it, too.
  const filter = controllerRowFilter(ctx, doctype);
  const listed = filter ? sql` and (${filter})` : EMPTY;
  if (listed !== EMPTY) {
    const row = await ctx.db.get(
      sql`select 1 as "one" from ${ident(doctype.name)} where "name" = ${name}${listed}`,
    );
    if (!row) return false;
  }
  return hasRightOn(ctx, doctype, name, 'read');
}

// A single has no row before its first save, so its history is for those who may read it whoever its owner is.
function singleRows(ctx: Context, doctype: DocType): Sql | null {
  return reachOf(ctx.user, doctype, 'read') === 'all' ? null : sql`1 = 0`;
}

/** Every `permlevels` text that a record of the doctype may have for this user to see it; null means any. */
function readableLevelTexts(ctx: Context, doctype: DocType): readonly string[] | null {
  const levels = readableLevels(ctx.user, doctype);
  if (levels === 'all') return null;
  // A table's level and that of a field in it.
  const pairs = [...levels].flatMap((one) => [...levels].map((other) => levelsOf(one, other)));
  return [...new Set(pairs)].sort();
}
