import { isIn, readableFields, readableLevels } from '../../access/field-level.ts';
import { allows, reachOf } from '../../access/permission.ts';
import { EMPTY, ident, join, type Sql, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { nameKey, nameText } from '../../doctype/numbered.ts';
import type { Context } from '../../document/contract.ts';
import { readableRows } from '../../document/list/list.ts';
import { controllerRowFilter } from '../../document/load/narrowing.ts';
import { hasRightOn } from '../../document/load/rights-on.ts';
import { carriesHistory } from './carriers.ts';
import { levelsOf } from './diff.ts';

/** Columns of a table of records that identify the document of a record. */
export interface ReferenceColumns {
  readonly type: Sql;
  readonly name: Sql;
  /** The permlevels required to see the record, if it has any. */
  readonly levels?: Sql;
  /** The changes (`Difference`), if the record has them. A field's permlevel may have been raised since. */
  readonly data?: Sql;
}

/**
 * A condition that selects the records about documents that the user may read. It uses the records' own
 * columns.
 */
export function referenceFilter(ctx: Context, { type, name, levels, data }: ReferenceColumns): Sql {
  const choices: Sql[] = [];
  // Doctypes without restrictions on their documents need no lookup in their tables, and share one condition.
  const whole = new Map<string, { readonly level: Sql; readonly names: Sql[] }>();
  for (const doctype of ctx.doctypes.all()) {
    if (!carriesHistory(doctype) || !allows(ctx.user, doctype, 'read')) continue;
    const readable = levels ? readableLevelTexts(ctx, doctype) : null;
    const atLevel =
      levels && readable ? sql` and ${levels} in (${join(readable.map((one) => sql`${one}`))})` : EMPTY;
    const hidden = data ? hiddenMarks(ctx, doctype) : [];
    const without = hidden.map((mark) => (data ? sql`and replace(${data}, ${mark}, '') = ${data}` : EMPTY));
    const level = join([atLevel, ...without], ' ');
    const rows = doctype.issingle ? singleRows(ctx, doctype) : readableRows(ctx, doctype);
    if (rows) {
      const documents = sql`select ${nameText(doctype)} from ${ident(doctype.name)} where ${rows}`;
      choices.push(sql`(${type} = ${doctype.name} and ${name} in (${documents})${level})`);
      continue;
    }
    const key = JSON.stringify([readable, hidden]);
    const group = whole.get(key) ?? { level, names: [] };
    group.names.push(sql`${doctype.name}`);
    whole.set(key, group);
  }
  for (const { level, names } of whole.values()) {
    choices.push(sql`(${type} in (${join(names)})${level})`);
  }
  return choices.length === 0 ? sql`1 = 0` : join(choices, ' or ');
}

/** The same check for one record and its document. False for a document that does not exist. */
export async function mayReadReference(
  ctx: Context,
  doctypeName: string,
  name: string,
  { levels, data }: { readonly levels: string; readonly data: string } = { levels: '', data: '' },
): Promise<boolean> {
  const doctype = ctx.doctypes.find(doctypeName);
  if (!doctype || !carriesHistory(doctype) || !allows(ctx.user, doctype, 'read')) return false;
  const readable = readableLevelTexts(ctx, doctype);
  if (readable && !readable.includes(levels)) return false;
  if (data !== '' && hiddenMarks(ctx, doctype).some((mark) => data.includes(mark))) return false;
  if (doctype.issingle) return singleRows(ctx, doctype) === null;
  // A condition that hides a document from lists also hides its records.
  const filter = controllerRowFilter(ctx, doctype);
  const listed = filter ? sql` and (${filter})` : EMPTY;
  if (listed !== EMPTY) {
    const row = await ctx.db.get(
      sql`select 1 as "one" from ${ident(doctype.name)} where "name" = ${nameKey(doctype, name)}${listed}`,
    );
    if (!row) return false;
  }
  return hasRightOn(ctx, doctype, name, 'read');
}

// A single has no row before its first save. Its history is visible to users who may read it whatever its
// owner.
function singleRows(ctx: Context, doctype: DocType): Sql | null {
  return reachOf(ctx.user, doctype, 'read') === 'all' ? null : sql`1 = 0`;
}

/** Every `permlevels` text with which a record of the doctype is visible to this user; null means any. */
function readableLevelTexts(ctx: Context, doctype: DocType): readonly string[] | null {
  const levels = readableLevels(ctx.user, doctype);
  if (levels === 'all') return null;
  // The level of a table combined with that of a field in it.
  const pairs = [...levels].flatMap((one) => [...levels].map((other) => levelsOf(one, other)));
  return [...new Set(pairs)].sort();
}

/** Keys of a difference and of every row. Hidden fields with these names cannot be told apart from them. */
const KEYS: ReadonlySet<string> = new Set(['added', 'removed', 'changed', 'row_changed', 'name', 'idx']);

/**
 * Texts in the JSON of a difference about a field that the user may not read now: `["field",` for a changed
 * value, `"field":` in a row. Quotes within values are escaped, so no value matches.
 */
function hiddenMarks({ user, doctypes }: Context, doctype: DocType): readonly string[] {
  const own = readableFields(user, doctype);
  const marks = doctype.fields.flatMap(({ fieldname }) => (isIn(own, fieldname) ? [] : [`["${fieldname}",`]));
  const [seen, unseen] = [new Set<string>(), new Set<string>()];
  for (const table of doctype.tables) {
    const child = doctypes.find(table.options);
    const readable = child ? readableFields(user, child, doctype) : 'all';
    for (const { fieldname } of child?.fields ?? [])
      (isIn(readable, fieldname) ? seen : unseen).add(fieldname);
  }
  // A name shared with a visible field reveals nothing.
  for (const name of unseen.difference(seen).difference(KEYS)) {
    marks.push(`"${name}":`);
    if (!doctype.fieldByName.has(name)) marks.push(`["${name}",`);
  }
  return marks;
}
