import { ident, join, type Sql, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { nameText } from '../../doctype/numbered.ts';
import type { Context } from '../../document/contract.ts';
import { type ReferringLink, referringLinks } from '../../document/list/referrers.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import type { LoadOfApplier } from '../applier.ts';
import { entryKey, forgetEntries, isAsLeft, type KnownRecord, knownKeys } from '../ledger.ts';
import { deleteDocuments } from './delete-documents.ts';
import { cachesOf } from './storable.ts';
import type { StoreOptions } from './store-options.ts';
import { existingVersions } from './write-documents.ts';

/** What became of documents whose source does not have them any more. */
export interface DeletedStored {
  readonly deleted: number;
  /** Keys of documents that changed here since the load stored them: they stay. */
  readonly kept: readonly string[];
  /** The names of documents here that still link to deleted ones, by doctype. */
  readonly referrers: ReadonlyMap<string, readonly string[]>;
}

/**
 * Deletes documents of a load and their entries of the ledger in one transaction, for a source that has deleted them
 * itself: without hooks, and whatever links to them.
 */
export function deleteStored(
  { site, user, origin }: StoreOptions,
  { load, hold }: Pick<LoadOfApplier, 'load' | 'hold'>,
  doctypeName: string,
  keys: readonly string[],
): Promise<DeletedStored> {
  return unitOfWork(
    site,
    user,
    async (ctx) => {
      await hold(ctx.db);
      const doctype = ctx.doctypes.get(doctypeName);
      const records = keys.map((key) => ({ doctype: doctypeName, key }));
      const known = await knownKeys(ctx.db, load, records);
      const entries = records.flatMap((record) => {
        const entry = known.get(entryKey(record));
        return entry ? [{ ...record, ...entry }] : [];
      });
      const versions = await existingVersions(
        ctx,
        doctype,
        entries.map(({ name }) => name),
        'remove',
      );
      const isChanged = (entry: KnownRecord) => {
        const version = versions.get(entry.name);
        return entry.action !== 'skipped' && version !== undefined && !isAsLeft(entry, version);
      };
      const leaving = entries.filter((entry) => !isChanged(entry));
      const gone = leaving.filter(({ action, name }) => action !== 'skipped' && versions.has(name));
      await deleteDocuments(ctx, doctype, gone);
      await forgetEntries(ctx.db, load, leaving);
      const cache = cachesOf(doctype);
      if (cache !== null) ctx.dropCaches(cache);
      return {
        deleted: gone.length,
        kept: entries.filter(isChanged).map(({ key }) => key),
        referrers: await referrersOf(
          ctx,
          doctype,
          gone.map(({ name }) => name),
        ),
      };
    },
    { ...origin, isImport: true },
  );
}

async function referrersOf(
  ctx: Context,
  doctype: DocType,
  names: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, Set<string>>();
  if (names.length === 0) return new Map();
  for (const link of referringLinks(ctx, doctype.name)) {
    const rows = await ctx.db.all(
      sql`select distinct ${holderOf(link)} from ${ident(link.doctype.name)} where ${meets(link, doctype, names)}`,
    );
    for (const { holder, name } of rows) {
      const of = found.get(String(holder)) ?? new Set();
      found.set(String(holder), of.add(String(name)));
    }
  }
  return new Map([...found].map(([holder, of]) => [holder, [...of]]));
}

/** A row of a child table stands for its document. */
function holderOf({ doctype }: ReferringLink): Sql {
  return doctype.istable
    ? sql`"parenttype" as "holder", "parent" as "name"`
    : sql`${doctype.name} as "holder", ${nameText(doctype)} as "name"`;
}

function meets({ field, typeField }: ReferringLink, doctype: DocType, names: readonly string[]): Sql {
  const target = sql`${ident(field.fieldname)} in (${join(names.map((name) => sql`${name}`))})`;
  return typeField === null ? target : sql`${target} and ${ident(typeField)} = ${doctype.name}`;
}
