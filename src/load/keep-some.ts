import type { Dialect } from '../db/dialect.ts';
import { EMPTY, ident, join, type Sql, sql } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';
import { nameInText, nameKey } from '../doctype/numbered.ts';
import type { Context } from '../document/contract.ts';
import { LOGS, NEVER_BLOCKING } from '../document/list/referrers.ts';
import { type Reference, references, referencesIn } from '../document/write/references.ts';
import type { LoadOfApplier } from './applier.ts';
import { entryKey, keepEntries, ledgerByName, type UndoEntry } from './ledger.ts';

type Scope = Pick<Context, 'db' | 'doctypes'>;

/** An entry that an undo leaves as it is, and why. */
interface Kept {
  readonly entry: UndoEntry;
  readonly reason: string;
}

/**
 * Keeps, in this transaction, those of these entries whose documents an undo leaves as they are, and the documents of
 * the load that these need. Resolves to the others of these entries.
 */
export async function keepSome<T extends UndoEntry>(
  scope: Scope,
  of: LoadOfApplier,
  entries: readonly T[],
): Promise<readonly T[]> {
  const kept = new Set<string>();
  let found = await keepNeeded(scope, of, entries);
  while (found.length > 0) {
    for (const entry of found) kept.add(entryKey(entry));
    found = await keepTargets(scope, of, found);
  }
  return entries.filter((entry) => !kept.has(entryKey(entry)));
}

/**
 * Keeps documents that have changed since, and new ones to which something refers that is not of the load or that
 * stays, such as a link, a comment, a file or a share. Resolves to their entries.
 */
export async function keepNeeded(
  scope: Scope,
  of: LoadOfApplier,
  entries: readonly UndoEntry[],
): Promise<readonly UndoEntry[]> {
  const found = new Map<UndoEntry, string>();
  for (const look of [referredTo, changed])
    for (const { entry, reason } of await eachDoctype(scope, of.load, entries, look))
      found.set(entry, reason);
  return keep(
    scope,
    of,
    [...found].map(([entry, reason]) => ({ entry, reason })),
  );
}

/** Keeps the new documents of the load to which the documents of these entries refer. Resolves to their entries. */
export async function keepTargets(
  scope: Scope,
  of: LoadOfApplier,
  entries: readonly UndoEntry[],
): Promise<readonly UndoEntry[]> {
  return keep(scope, of, await eachDoctype(scope, of.load, entries, targets));
}

async function keep({ db }: Scope, of: LoadOfApplier, kept: readonly Kept[]): Promise<readonly UndoEntry[]> {
  const entries = kept.map(({ entry }) => entry);
  await keepEntries(db, of.load, entries);
  const problems = kept.map(({ entry: { doctype, key, row }, reason }) => {
    return { kind: 'undo', doctype, key, row, field: '', value: '', reason } as const;
  });
  await of.note(db, problems);
  return entries;
}

/** Looks at the entries of one doctype after the other. The documents went with their doctype, if it is gone. */
async function eachDoctype(
  scope: Scope,
  load: string,
  entries: readonly UndoEntry[],
  look: (scope: Scope, load: string, doctype: DocType, entries: readonly UndoEntry[]) => Promise<Kept[]>,
): Promise<Kept[]> {
  const found: Kept[] = [];
  for (const [name, some] of Map.groupBy(entries, ({ doctype }) => doctype)) {
    const doctype = scope.doctypes.find(name);
    if (doctype) found.push(...(await look(scope, load, doctype, some)));
  }
  return found;
}

/** Entries whose document is not as the last of its entries has left it. */
async function changed(
  { db }: Scope,
  load: string,
  doctype: DocType,
  entries: readonly UndoEntry[],
): Promise<Kept[]> {
  if (doctype.istable) return [];
  const keys = join(entries.map(({ key }) => sql`${key}`));
  const of = sql`"load" = ${load} and "doctype" = ${doctype.name} and "action" in ('inserted', 'updated')`;
  const rows = await db.all(
    sql`select "e"."key" from (select "key", "name" from "_load_row" where ${of} and "key" in (${keys})) as "e"
        join ${ident(doctype.name)} as "d" on "d"."name" = ${nameInText(doctype, sql`"e"."name"`, db.dialect)}
        where not exists (select 1 from ${ledgerByName(db.dialect)} where ${of} and "l"."name" = "e"."name"
          and "l"."revision" = "d"."_revision" and coalesce("l"."creation", "d"."creation") = "d"."creation")`,
  );
  const found = new Set(rows.map(({ key }) => String(key)));
  return entries
    .filter(({ key }) => found.has(key))
    .map((entry) => ({ entry, reason: 'The document has changed since' }));
}

/** Entries of new documents to which something refers that is not of the load, or that stays. */
async function referredTo(
  { db, doctypes }: Scope,
  load: string,
  doctype: DocType,
  entries: readonly UndoEntry[],
): Promise<Kept[]> {
  const news = entries.filter(({ action }) => action === 'inserted');
  if (doctype.istable || news.length === 0) return [];
  const names = news.map(({ name }) => name);
  const reasons = new Map<string, string>();
  for (const reference of references(doctypes, doctype)) {
    if (LOGS.has(reference.doctype.name) || reference.doctype.rowsFrom !== 'table') continue;
    const rows = await db.all(referrersBy(db.dialect, load, reference, doctype, names));
    for (const { target, by } of rows) reasons.set(String(target), String(by));
  }
  return news.flatMap((entry) => {
    const reason = reasons.get(entry.name);
    return reason === undefined ? [] : [{ entry, reason }];
  });
}

/** For each of these names, one document that refers to it. */
function referrersBy(
  dialect: Dialect,
  load: string,
  { doctype: holder, fieldname, typeField }: Reference,
  doctype: DocType,
  names: readonly string[],
): Sql {
  const field = sql`"r".${ident(fieldname)}`;
  const meant = typeField === null ? EMPTY : sql` and "r".${ident(typeField)} = ${doctype.name}`;
  return sql`select ${field} as "target", min(${reasonOf(holder)}) as "by" from ${ident(holder.name)} as "r"
    where ${field} in (${join(names.map((name) => sql`${name}`))})${meant}${byPeople(holder)}
    and not ${isOfLoad(dialect, load, holder)} group by ${field}`;
}

/** The new documents of the load to which these refer, by their own fields and those of their rows. */
async function targets(
  { db, doctypes }: Scope,
  load: string,
  doctype: DocType,
  entries: readonly UndoEntry[],
): Promise<Kept[]> {
  const found = new Map<string, Kept>();
  const names = entries.map(({ name }) => name);
  const keys = join(names.map((name) => sql`${nameKey(doctype, name)}`));
  const parents = join(names.map((name) => sql`${name}`));
  for (const holder of [doctype, ...doctype.tables.map(({ options }) => doctypes.get(options))]) {
    const isOwn = holder === doctype;
    const theirs = isOwn
      ? sql`"r"."name" in (${keys})`
      : sql`"r"."parenttype" = ${doctype.name} and "r"."parent" in (${parents})`;
    for (const { fieldname, typeField, target } of referencesIn(holder)) {
      const type = typeField === null ? sql`${target}` : sql`"r".${ident(typeField)}`;
      const rows = await db.all(
        sql`select "l"."doctype", "l"."key", "l"."seq", "l"."row", "l"."action", "l"."name", ${reasonOf(holder)} as "by"
            from ${ident(holder.name)} as "r" join ${ledgerByName(db.dialect)} on "l"."load" = ${load}
            and "l"."doctype" = ${type} and "l"."name" = "r".${ident(fieldname)} and "l"."action" = 'inserted'
            where ${theirs}`,
      );
      for (const { by, ...entry } of rows as unknown as (UndoEntry & { readonly by: string })[])
        found.set(entryKey(entry), { entry, reason: by });
    }
  }
  return [...found.values()];
}

/** What the log says of a document that another one, `r`, needs. */
function reasonOf({ name, istable }: DocType): Sql {
  const how = NEVER_BLOCKING.has(name) ? ' belongs to it' : ' links to it';
  return istable
    ? sql`"r"."parenttype" || ' ' || "r"."parent" || ${how}`
    : sql`${name} || ' ' || cast("r"."name" as text) || ${how}`;
}

/** The comments that the system writes accompany a change, a file or a share, which count themselves. */
function byPeople({ name }: DocType): Sql {
  return name === 'Comment' ? sql` and "r"."comment_type" = 'Comment'` : EMPTY;
}

/** True for a document that goes with the load or gets its former values, and for a row of one. */
function isOfLoad(dialect: Dialect, load: string, { name, istable }: DocType): Sql {
  const has = (doctype: Sql, document: Sql, more = EMPTY) =>
    sql`exists (select 1 from ${ledgerByName(dialect)} where "l"."load" = ${load} and "l"."doctype" = ${doctype}
        and "l"."name" = ${document} and "l"."action" in ('inserted', 'updated', 'added')${more})`;
  return istable
    ? sql`(${has(sql`"r"."parenttype"`, sql`"r"."parent"`)} or ${has(sql`${name}`, sql`"r"."name"`)})`
    : has(
        sql`${name}`,
        sql`cast("r"."name" as text)`,
        sql` and "l"."revision" = "r"."_revision"
        and coalesce("l"."creation", "r"."creation") = "r"."creation"`,
      );
}
