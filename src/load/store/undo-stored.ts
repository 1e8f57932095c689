import { EMPTY, ident, join, type Sql, sql } from '../../db/sql.ts';
import type { DocType, Document } from '../../doctype/doctype.ts';
import type { Context } from '../../document/contract.ts';
import { newDocument } from '../../document/document.ts';
import { type ReferringLink, referringLinks } from '../../document/list/referrers.ts';
import { load as loadDocument } from '../../document/load/load.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import type { LoadOfApplier, UndoOutcome } from '../applier.ts';
import { forgetEntries, keepEntries, type LedgerEntry } from '../ledger.ts';
import { deleteDocuments } from './delete-documents.ts';
import { problemOf } from './prepare-record.ts';
import { cachesOf, storableDoctype } from './storable.ts';
import type { StoreOptions } from './store-options.ts';
import { changeTo, existingRevisions, isFault, type Write, writeDocuments } from './write-documents.ts';

/** An entry that an undo leaves as it is, and why. */
interface Kept {
  readonly entry: LedgerEntry;
  readonly reason: string;
}

/**
 * Undoes entries in one transaction: deletes documents that were new, and gives those that existed their former
 * values. A document that has changed since stays, and so does a new one to which others link.
 */
export async function undoStored(
  options: StoreOptions,
  of: LoadOfApplier,
  entries: readonly LedgerEntry[],
): Promise<UndoOutcome> {
  const { site, user, origin } = options;
  try {
    return await unitOfWork(site, user, (ctx) => undoAll(ctx, options, of, entries), {
      ...origin,
      isImport: true,
    });
  } catch (error) {
    if (!isFault(error)) throw error;
    const [only] = entries;
    if (only && entries.length === 1) {
      return site.database.transaction(async (db) => {
        await of.hold(db);
        await keepEntries(db, of.load, [only]);
        await of.note(db, [problemOf(only, 'undo', '', null, error.message)]);
        return { undone: 0, kept: 1 };
      });
    }
    const half = entries.length >> 1;
    const first = await undoStored(options, of, entries.slice(0, half));
    const second = await undoStored(options, of, entries.slice(half));
    return { undone: first.undone + second.undone, kept: first.kept + second.kept };
  }
}

async function undoAll(
  ctx: Context,
  { isCommandLine = false }: StoreOptions,
  of: LoadOfApplier,
  entries: readonly LedgerEntry[],
): Promise<UndoOutcome> {
  await of.hold(ctx.db);
  const open: Group[] = [];
  for (const [name, some] of Map.groupBy(entries, ({ doctype }) => doctype)) {
    const doctype = ctx.doctypes.find(name);
    // The documents went with their doctype, if it is gone.
    if (!doctype) continue;
    // Who may not load documents that give access takes none back: the undo fails, and goes on at the command line.
    storableDoctype(ctx, name, isCommandLine);
    open.push(await groupOf(ctx, doctype, some));
  }
  const kept = new Map<LedgerEntry, string>();
  const keep = async (found: readonly Kept[]) => {
    for (const { entry, reason } of found) kept.set(entry, reason);
    await keepEntries(
      ctx.db,
      of.load,
      found.map(({ entry }) => entry),
    );
  };
  for (const { changed } of open) await keep(changed);
  // With their former values, documents no longer link to those that the load has made.
  for (const { doctype, olds } of open) await restore(ctx, doctype, olds);
  // A document that stays keeps those that it links to.
  for (let found = 1; found > 0; ) {
    found = 0;
    for (const { doctype, news } of open) {
      const left = news.filter((entry) => !kept.has(entry));
      const blocked = await linkedFromOutside(ctx, of.load, doctype, left);
      found += blocked.length;
      await keep(blocked);
    }
  }
  for (const { doctype, news } of open) {
    await deleteDocuments(
      ctx,
      doctype,
      news.filter((entry) => !kept.has(entry)),
    );
    const cache = cachesOf(doctype);
    if (cache !== null) ctx.dropCaches(cache);
  }
  const undone = entries.filter((entry) => !kept.has(entry));
  await forgetEntries(ctx.db, of.load, undone);
  await of.note(
    ctx.db,
    [...kept].map(([entry, reason]) => problemOf(entry, 'undo', '', null, reason)),
  );
  return { undone: undone.length, kept: kept.size };
}

/** Entries of one doctype, by what an undo does. */
interface Group {
  readonly doctype: DocType;
  readonly changed: readonly Kept[];
  /** Of new documents, which go. */
  readonly news: readonly LedgerEntry[];
  /** Of documents that get their former values. */
  readonly olds: readonly LedgerEntry[];
}

async function groupOf(ctx: Context, doctype: DocType, entries: readonly LedgerEntry[]): Promise<Group> {
  const stored = entries.filter(({ action }) => action === 'inserted' || action === 'updated');
  const revisions =
    stored.length === 0
      ? new Map<string, number>()
      : await existingRevisions(
          ctx,
          doctype,
          stored.map(({ name }) => name),
        );
  const isSame = (entry: LedgerEntry) => revisions.get(entry.name) === entry.revision;
  const there = stored.filter(({ name }) => revisions.has(name));
  return {
    doctype,
    changed: there
      .filter((entry) => !isSame(entry))
      .map((entry) => ({ entry, reason: 'The document has changed since' })),
    news: there.filter((entry) => isSame(entry) && entry.before === null),
    olds: there.filter((entry) => isSame(entry) && entry.before !== null),
  };
}

/** The documents to which others link that the load has not made, or that stay. */
async function linkedFromOutside(
  ctx: Context,
  load: string,
  doctype: DocType,
  entries: readonly LedgerEntry[],
): Promise<Kept[]> {
  const found = new Map<string, string>();
  if (entries.length === 0 || doctype.istable) return [];
  const names = join(entries.map(({ name }) => sql`${name}`));
  for (const link of referringLinks(ctx, doctype.name)) {
    const field = sql`"r".${ident(link.field.fieldname)}`;
    const rows = await ctx.db.all(
      sql`select ${field} as "target", ${referrerOf(link)} as "by" from ${ident(link.doctype.name)} as "r"
          where ${field} in (${names})${ofType(link, doctype)} and not ${isOfLoad(load, link)}`,
    );
    for (const row of rows) found.set(String(row['target']), String(row['by']));
  }
  return entries.flatMap((entry) => {
    const by = found.get(entry.name);
    return by === undefined ? [] : [{ entry, reason: `${by} links to it` }];
  });
}

function ofType({ typeField }: ReferringLink, doctype: DocType): Sql {
  return typeField === null ? EMPTY : sql` and "r".${ident(typeField)} = ${doctype.name}`;
}

function referrerOf({ doctype }: ReferringLink): Sql {
  return doctype.istable
    ? sql`"r"."parenttype" || ' ' || "r"."parent"`
    : sql`${doctype.name} || ' ' || cast("r"."name" as text)`;
}

/** True for a document that the load has made, or a row of one. The keys of the loading operation are names. */
function isOfLoad(load: string, { doctype }: ReferringLink): Sql {
  const made = (of: Sql, name: Sql) =>
    sql`exists (select 1 from "_load_row" as "l" where "l"."load" = ${load} and "l"."doctype" = ${of}
        and "l"."key" = ${name} and "l"."action" = 'inserted')`;
  return doctype.istable
    ? sql`(${made(sql`"r"."parenttype"`, sql`"r"."parent"`)} or ${made(sql`${doctype.name}`, sql`"r"."name"`)})`
    : made(sql`${doctype.name}`, sql`cast("r"."name" as text)`);
}

/** Gives documents the values of their before-images, in the fields that the doctype still has. */
async function restore(ctx: Context, doctype: DocType, entries: readonly LedgerEntry[]): Promise<void> {
  const writes: Write[] = [];
  for (const entry of entries) {
    const stored = await loadDocument(ctx, doctype, entry.name);
    if (!stored) continue;
    const image = JSON.parse(entry.before ?? '{}') as Document;
    const doc = newDocument(doctype);
    for (const key of Object.keys(doc)) if (image[key] !== undefined) doc[key] = image[key] ?? null;
    if (doctype.istable)
      for (const key of ['parent', 'parenttype', 'parentfield']) doc[key] = image[key] ?? null;
    const { hash, ...record } = entry;
    const prepared = { record: { ...record, hash, values: {} }, doctype, doc, given: new Set<string>() };
    writes.push({ prepared, change: changeTo(doctype, doc, stored.doc, stored.revision) });
  }
  await writeDocuments(ctx, doctype, writes);
}
