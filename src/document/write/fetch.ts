import { ident, join, type Sql, sql } from '../../db/sql.ts';
import type { ChildRow, DocField, DocType, Document } from '../../doctype/doctype.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { nameKey } from '../../doctype/numbered.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { memo } from '../../kernel/memo.ts';
import type { FieldValue } from '../../kernel/value.ts';
import type { Change } from '../change.ts';
import { noteProblem } from '../change.ts';
import { showing } from '../check/link-reach.ts';
import { storedRows } from '../children.ts';
import type { Context } from '../contract.ts';
import { rowsOf, scalarOf } from '../document.ts';
import { type FieldColumn, layoutOf } from '../layout.ts';
import { statementText, withValues } from '../statements.ts';

/** Names per statement. */
const BATCH = 512;

/** A field whose value comes from the document that a link of the same holder names. */
interface Fetch {
  readonly column: FieldColumn;
  readonly link: DocField;
  readonly source: string;
}

interface Job {
  readonly fetch: Fetch;
  readonly holder: Document | ChildRow;
  readonly stored: Document | ChildRow | null;
  readonly target: string;
  readonly name: string;
}

/** True when the doctype has fields with `fetch_from`. */
export function fetches(doctype: DocType): boolean {
  return fetchesOf(doctype).length > 0;
}

/**
 * Fills the fields with `fetch_from`, of the document and its rows, from their linked documents: at every
 * save of a draft, after submission only if the field may still change. With `fetch_if_empty` a set value
 * stays. One query per linked doctype. Through a Link, the user's rights do not matter, because the doctype's
 * author decided on the copy. Through a Dynamic Link the user chooses the doctype, so only values that the user
 * may read are copied.
 */
export async function fetchFields(ctx: Context, change: Change): Promise<void> {
  const { doctype, doc, before } = change;
  const jobs: Job[] = [];
  collect(jobs, change, doctype, doc, before);
  for (const table of doctype.tables) {
    const child = ctx.doctypes.get(table.options);
    if (!fetches(child)) continue;
    const stored = storedRows(before, table.fieldname);
    for (const row of rowsOf(doc, table.fieldname)) {
      collect(jobs, change, child, row, stored.get(row.name) ?? null);
    }
  }
  if (jobs.length === 0) return;
  for (const [target, wanted] of Map.groupBy(jobs, (job) => job.target)) {
    await fill(ctx, change, target, wanted);
  }
}

function collect(
  jobs: Job[],
  change: Change,
  doctype: DocType,
  holder: Document | ChildRow,
  stored: Document | ChildRow | null,
): void {
  for (const fetch of fetchesOf(doctype)) {
    const { column, link } = fetch;
    const isSettled = change.action === 'update_after_submit' && stored !== null;
    if (isSettled && !column.field.allow_on_submit) continue;
    const name = scalarOf(holder, link.fieldname);
    if (typeof name !== 'string' || name === '') {
      forget(fetch, holder, stored);
      continue;
    }
    if (column.field.fetch_if_empty && !isBlank(holder[column.fieldname])) continue;
    const target = link.fieldtype === 'Link' ? link.options : scalarOf(holder, link.options);
    if (typeof target === 'string') jobs.push({ fetch, holder, stored, target, name });
  }
}

// A fetched value is removed with its link, unless another value replaced it.
function forget(
  { column, link }: Fetch,
  holder: Document | ChildRow,
  stored: Document | ChildRow | null,
): void {
  if (!stored || column.field.fetch_if_empty || isBlank(stored[link.fieldname])) return;
  if (holder[column.fieldname] === stored[column.fieldname]) holder[column.fieldname] = column.empty;
}

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === '' || value === 0;
}

const fetchesOf = memo((doctype: DocType): readonly Fetch[] => {
  return layoutOf(doctype).fields.flatMap((column) => {
    const [linkName = '', source = ''] = column.field.fetch_from.split('.');
    const link = doctype.fieldByName.get(linkName);
    return link && source !== '' ? [{ column, link, source }] : [];
  });
});

async function fill(ctx: Context, change: Change, targetName: string, jobs: readonly Job[]): Promise<void> {
  const target = ctx.doctypes.find(targetName);
  // Neither kind has rows to fetch from.
  if (!target || target.is_virtual || target.issingle) return;
  const sources = [...new Set(jobs.map((job) => job.fetch.source))].filter((source) =>
    isFetched(target, source),
  );
  if (sources.length === 0) return;
  const names = [...new Set(jobs.map((job) => job.name))];
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  for (let start = 0; start < names.length; start += BATCH) {
    const rows = await ctx.db.all(lookUp(ctx, target, sources, names.slice(start, start + BATCH)));
    for (const row of rows) found.set(String(row['name']), row);
  }
  const hidden = await hiddenFrom(ctx, target, jobs);
  for (const job of jobs) {
    if (!sources.includes(job.fetch.source)) continue;
    const row = found.get(job.name);
    if (hidden.has(job)) keepCopy(job);
    else if (row) assign(change, job, row[job.fetch.source] as FieldValue);
  }
}

/** The jobs through Dynamic Links whose value the user may not read. */
async function hiddenFrom(ctx: Context, target: DocType, jobs: readonly Job[]): Promise<ReadonlySet<Job>> {
  const hidden = new Set<Job>();
  const chosen = jobs.filter(({ fetch }) => fetch.link.fieldtype === 'Dynamic Link');
  for (const [{ link, source }, alike] of Map.groupBy(chosen, ({ fetch }) => fetch)) {
    for (let start = 0; start < alike.length; start += BATCH) {
      const some = alike.slice(start, start + BATCH);
      const names = some.map(({ name }) => name);
      const shown = await showing(ctx, target, source, names, link.ignore_user_permissions);
      if (shown !== 'all') for (const job of some) if (!shown.has(job.name)) hidden.add(job);
    }
  }
  return hidden;
}

// The copy of an unchanged link stays, whoever saves the document.
function isMoved({ fetch: { link }, holder, stored }: Job): boolean {
  return [link.fieldname, link.options].some((fieldname) => holder[fieldname] !== stored?.[fieldname]);
}

// A value in the request is no copy.
function keepCopy(job: Job): void {
  const { column } = job.fetch;
  const copy = job.stored && !isMoved(job) ? job.stored[column.fieldname] : undefined;
  job.holder[column.fieldname] = copy ?? column.empty;
}

// A field that the target no longer has stays unchanged; the column of a Password holds only a mask.
function isFetched(target: DocType, source: string): boolean {
  const column = target.columnByName.get(source);
  return column !== undefined && column.field?.fieldtype !== 'Password';
}

/** Pads names to a power of two by repeating the last, so that few statement texts serve all sizes. */
function lookUp(ctx: Context, target: DocType, sources: readonly string[], names: readonly string[]) {
  const padded = [...names];
  while (padded.length < 2 ** Math.ceil(Math.log2(names.length))) padded.push(names.at(-1) ?? '');
  const text = statementText(target, ctx.db.dialect, `fetch ${sources.join()} ${padded.length}`, () => {
    const holes: Sql[] = padded.map(() => sql`${null}`);
    const columns = [...new Set(['name', ...sources])].map(ident);
    return sql`select ${join(columns)} from ${ident(target.name)} where "name" in (${join(holes)})`;
  });
  return withValues(
    text,
    padded.map((name) => nameKey(target, name)),
  );
}

function assign(change: Change, { fetch, holder }: Job, value: FieldValue): void {
  const { column } = fetch;
  try {
    holder[column.fieldname] = fieldtypeOf(column.field).coerce(value, column.field);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    holder[column.fieldname] = column.empty;
    noteProblem(change, { holder, fieldname: column.fieldname, error, isSent: false });
  }
}
