import { EMPTY, ident, join, type Sql, sql } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';
import { nameInText } from '../doctype/numbered.ts';
import type { Context } from '../document/contract.ts';
import { LOGS, NEVER_BLOCKING } from '../document/list/referrers.ts';
import { type Reference, references } from '../document/write/references.ts';
import type { LoadOfApplier } from './applier.ts';
import { keepEntries, type UndoEntry } from './ledger.ts';

type Scope = Pick<Context, 'db' | 'doctypes'>;

/** An entry that an undo leaves as it is, and why. */
interface Kept<T> {
  readonly entry: T;
  readonly reason: string;
}

/**
 * Keeps, in this transaction, those of these entries whose documents an undo leaves as they are, and notes why: a
 * document that has changed since, and a new one to which something refers that is not of the load or that stays, such
 * as a link, a comment, a file or a share. Resolves to the others.
 */
export async function keepSome<T extends UndoEntry>(
  scope: Scope,
  of: LoadOfApplier,
  entries: readonly T[],
): Promise<readonly T[]> {
  let left = entries;
  const keep = async (kept: readonly Kept<T>[]) => {
    const some = new Set(kept.map(({ entry }) => entry));
    await keepEntries(scope.db, of.load, [...some]);
    await of.note(
      scope.db,
      kept.map(({ entry: { doctype, key, row }, reason }) => ({
        ...{ kind: 'undo', doctype, key, row, field: '', value: '', reason },
      })),
    );
    left = left.filter((entry) => !some.has(entry));
    return some.size;
  };
  await keep(await eachDoctype(scope, of.load, left, changed));
  // A document that stays keeps those to which it refers.
  while ((await keep(await eachDoctype(scope, of.load, left, referredTo))) > 0);
  return left;
}

/** Looks at the entries of one doctype after the other. The documents went with their doctype, if it is gone. */
async function eachDoctype<T extends UndoEntry>(
  scope: Scope,
  load: string,
  entries: readonly T[],
  look: (scope: Scope, load: string, doctype: DocType, entries: readonly T[]) => Promise<readonly Kept<T>[]>,
): Promise<readonly Kept<T>[]> {
  const found: Kept<T>[] = [];
  for (const [name, some] of Map.groupBy(entries, ({ doctype }) => doctype)) {
    const doctype = scope.doctypes.find(name);
    if (doctype && !doctype.istable) found.push(...(await look(scope, load, doctype, some)));
  }
  return found;
}

/** Entries whose document is not as the last of its entries has left it. */
async function changed<T extends UndoEntry>(
  { db }: Scope,
  load: string,
  doctype: DocType,
  entries: readonly T[],
): Promise<readonly Kept<T>[]> {
  const keys = join(entries.map(({ key }) => sql`${key}`));
  const of = sql`"load" = ${load} and "doctype" = ${doctype.name} and "action" in ('inserted', 'updated')`;
  const rows = await db.all(
    sql`select "l"."key" from (select "key", "name" from "_load_row" where ${of} and "key" in (${keys})) as "l"
        join ${ident(doctype.name)} as "d" on "d"."name" = ${nameInText(doctype, sql`"l"."name"`, db.dialect)}
        where "d"."_revision" <> (select max("revision") from "_load_row" where ${of} and "name" = "l"."name")`,
  );
  const found = new Set(rows.map(({ key }) => String(key)));
  return entries
    .filter(({ key }) => found.has(key))
    .map((entry) => ({ entry, reason: 'The document has changed since' }));
}

/** Entries of new documents to which something refers that is not of the load, or that stays. */
async function referredTo<T extends UndoEntry>(
  { db, doctypes }: Scope,
  load: string,
  doctype: DocType,
  entries: readonly T[],
): Promise<readonly Kept<T>[]> {
  const news = entries.filter(({ action }) => action === 'inserted');
  if (news.length === 0) return [];
  const names = news.map(({ name }) => name);
  const reasons = new Map<string, string>();
  for (const reference of references(doctypes, doctype)) {
    if (LOGS.has(reference.doctype.name) || reference.doctype.rowsFrom !== 'table') continue;
    const rows = await db.all(referrersBy(load, reference, doctype, names));
    for (const { target, by } of rows) reasons.set(String(target), String(by));
  }
  return news.flatMap((entry) => {
    const reason = reasons.get(entry.name);
    return reason === undefined ? [] : [{ entry, reason }];
  });
}

/** For each of these names, one document that refers to it. */
function referrersBy(
  load: string,
  { doctype: holder, fieldname, typeField }: Reference,
  doctype: DocType,
  names: readonly string[],
): Sql {
  const field = sql`"r".${ident(fieldname)}`;
  const meant = typeField === null ? EMPTY : sql` and "r".${ident(typeField)} = ${doctype.name}`;
  const by = holder.istable
    ? sql`"r"."parenttype" || ' ' || "r"."parent"`
    : sql`${holder.name} || ' ' || cast("r"."name" as text)`;
  const how = NEVER_BLOCKING.has(holder.name) ? ' belongs to it' : ' links to it';
  return sql`select ${field} as "target", min(${by}) || ${how} as "by" from ${ident(holder.name)} as "r"
    where ${field} in (${join(names.map((name) => sql`${name}`))})${meant}${byPeople(holder)}
    and not ${isOfLoad(load, holder)} group by ${field}`;
}

/** The comments that the system writes accompany a change, a file or a share, which count themselves. */
function byPeople({ name }: DocType): Sql {
  return name === 'Comment' ? sql` and "r"."comment_type" = 'Comment'` : EMPTY;
}

/** True for a document that goes with the load or gets its former values, and for a row of one. */
function isOfLoad(load: string, { name, istable }: DocType): Sql {
  const has = (doctype: Sql, document: Sql, more = EMPTY) =>
    sql`exists (select 1 from "_load_row" as "l" where "l"."load" = ${load} and "l"."doctype" = ${doctype}
        and "l"."name" = ${document} and "l"."action" in ('inserted', 'updated', 'added')${more})`;
  return istable
    ? sql`(${has(sql`"r"."parenttype"`, sql`"r"."parent"`)} or ${has(sql`${name}`, sql`"r"."name"`)})`
    : has(sql`${name}`, sql`cast("r"."name" as text)`, sql` and "l"."revision" = "r"."_revision"`);
}
