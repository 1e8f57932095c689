import type { CurrentUser } from '../access/user.ts';
import type { Connection } from '../db/database.ts';
import { ident, join, type SqlValue, sql } from '../db/sql.ts';
import { asSystem, timestamp } from '../document/context.ts';
import type { Context, Site } from '../document/contract.ts';
import { lockClause } from '../document/lock.ts';
import { createDocument } from '../document/verbs/create.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Fields } from '../kernel/value.ts';
import { attachUpload } from './attach-upload.ts';

/** The doctype that shows every load: what it reads, how far it is, what became of the records. */
export const DATA_LOAD = 'Data Load';

export type LoadStatus =
  | 'Draft'
  | 'Checking'
  | 'Checked'
  | 'Running'
  | 'Paused'
  | 'Done'
  | 'Failed'
  | 'Undoing'
  | 'Undone';

/** What happens to documents that exist, and to those that do not. */
export type LoadMode = 'Insert' | 'Update' | 'Upsert';

/** Numbers of records by outcome. */
export interface LoadCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly failed: number;
}

/** The number of records in counts. */
export function total({ inserted, updated, unchanged, skipped, failed }: LoadCounts): number {
  return inserted + updated + unchanged + skipped + failed;
}

/** A stored `Data Load`. */
export interface DataLoad {
  readonly name: string;
  readonly owner: string;
  /** `Load`: the loading operation. `Import`: through the verbs, as its owner. */
  readonly kind: 'Load' | 'Import';
  readonly source: string;
  readonly sourceId: string;
  readonly doctype: string | null;
  /** The url of the file that a server reads; null for a load from the command line. */
  readonly file: string | null;
  readonly format: string;
  readonly mode: LoadMode;
  readonly keyField: string | null;
  readonly mapping: Fields;
  readonly options: Fields;
  readonly status: LoadStatus;
  readonly counts: LoadCounts;
  readonly brokenLinks: number;
  readonly undone: number;
  readonly kept: number;
  readonly total: number;
  /** When its first run or check began; null before it. */
  readonly started: string | null;
  readonly error: string | null;
}

/** What a new load states. */
export interface NewLoad
  extends Pick<DataLoad, 'kind' | 'source' | 'sourceId' | 'mode' | 'format'>,
    Partial<Pick<DataLoad, 'doctype' | 'file' | 'keyField' | 'mapping' | 'options' | 'status'>> {}

/** Creates the `Data Load` of a load, with the user of the context as its owner. Resolves to its name. */
export async function createLoad(ctx: Context, load: NewLoad): Promise<string> {
  const { name } = await createDocument(asSystem(ctx), DATA_LOAD, {
    kind: load.kind,
    source: load.source,
    source_id: load.sourceId,
    reference_doctype: load.doctype ?? null,
    format: load.format,
    mode: load.mode,
    key_field: load.keyField ?? null,
    mapping: JSON.stringify(load.mapping ?? {}),
    options: JSON.stringify(load.options ?? {}),
    status: load.status ?? 'Draft',
  });
  if (load.file) await attachUpload(ctx, { doctype: DATA_LOAD, name }, 'import_file', load.file);
  await ctx.db.run(
    sql`update ${ident(DATA_LOAD)} set "owner" = ${ctx.user.name}, "modified_by" = ${ctx.user.name}
        where "name" = ${name}`,
  );
  return name;
}

/** @throws ServiceError DoesNotExistError */
export async function readLoad(db: Connection, name: string): Promise<DataLoad> {
  const row = await db.get(sql`select * from ${ident(DATA_LOAD)} where "name" = ${name}`);
  if (!row) throw new ServiceError('DoesNotExistError', `${DATA_LOAD} ${name} not found`);
  const text = (key: string) => (typeof row[key] === 'string' && row[key] !== '' ? String(row[key]) : null);
  const count = (key: string) => Number(row[key] ?? 0);
  const json = (key: string) => JSON.parse(text(key) ?? '{}') as Fields;
  return {
    name,
    owner: String(row['owner']),
    kind: text('kind') as DataLoad['kind'],
    source: text('source') ?? '',
    sourceId: text('source_id') ?? '',
    doctype: text('reference_doctype'),
    file: text('import_file'),
    format: text('format') ?? '',
    mode: text('mode') as LoadMode,
    keyField: text('key_field'),
    mapping: json('mapping'),
    options: json('options'),
    status: text('status') as LoadStatus,
    counts: {
      inserted: count('inserted'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      skipped: count('skipped'),
      failed: count('failed'),
    },
    brokenLinks: count('broken_links'),
    undone: count('undone'),
    kept: count('kept'),
    total: count('total'),
    started: text('started'),
    error: text('error'),
  };
}

/** The newest load of this source that has not ended, for a call that goes on with it; null when there is none. */
export async function unfinishedLoad(
  db: Connection,
  { name }: CurrentUser,
  { kind, sourceId }: Pick<DataLoad, 'kind' | 'sourceId'>,
): Promise<string | null> {
  const row = await db.get(
    sql`select "name" from ${ident(DATA_LOAD)} where "kind" = ${kind} and "source_id" = ${sourceId}
        and "owner" = ${name} and "status" in ('Draft', 'Running', 'Paused', 'Failed')
        order by "creation" desc, "name" limit 1`,
  );
  return row ? String(row['name']) : null;
}

/** The newest load of this source that has ended and was not undone since; null when there is none. */
export async function endedLoad(
  db: Connection,
  { kind, sourceId }: Pick<DataLoad, 'kind' | 'sourceId'>,
): Promise<string | null> {
  const row = await db.get(
    sql`select "name", "status" from ${ident(DATA_LOAD)} where "kind" = ${kind} and "source_id" = ${sourceId}
        order by "creation" desc, "name" limit 1`,
  );
  return row?.['status'] === 'Done' ? String(row['name']) : null;
}

/** Columns of a `Data Load` that a run writes. */
export type LoadProgress = Readonly<
  Partial<
    Record<
      | 'status'
      | 'runner'
      | 'error'
      | 'part'
      | 'total'
      | 'done'
      | 'rate'
      | 'remaining'
      | 'started'
      | 'finished'
      | 'broken_links'
      | 'undone'
      | 'kept'
      | keyof LoadCounts,
      SqlValue
    >
  >
>;

/**
 * Writes columns of a load, without a save: no version, hook or webhook. With `from`, only while it has one of these
 * statuses; with `runner`, only while this run works on it. Resolves to false otherwise, and when it is gone. A change
 * of the status or the run waits for the transactions that hold the claim on the load (`Claim`).
 */
export async function writeLoad(
  site: Site,
  db: Connection,
  name: string,
  progress: LoadProgress,
  from?: readonly LoadStatus[],
  runner?: string,
): Promise<boolean> {
  const sets = Object.entries({ ...progress, modified: timestamp(site) }).map(
    ([column, value]) => sql`${ident(column)} = ${value}`,
  );
  const only = from ? sql` and "status" in (${join(from.map((status) => sql`${status}`))})` : sql``;
  const own = runner === undefined ? sql`` : sql` and "runner" = ${runner}`;
  if ('status' in progress || 'runner' in progress) {
    await db.get(
      sql`select 1 as "one" from ${ident(DATA_LOAD)} where "name" = ${name}${lockClause(db.dialect, 'remove')}`,
    );
  }
  const changed = await db.run(
    sql`update ${ident(DATA_LOAD)} set ${join(sets)}, "_revision" = "_revision" + 1
        where "name" = ${name}${only}${own}`,
  );
  return changed > 0;
}
