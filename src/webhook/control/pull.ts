import { requirePermission } from '../../access/permission.ts';
import type { Connection, Row } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { Context } from '../../document/contract.ts';
import { readDocument } from '../../document/verbs/read.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { listed } from './choose.ts';
import { settledUpTo } from './settled.ts';

/** A delivery that the receiver fetches. */
export interface Pulled {
  /** The `webhook-id` header of the request. */
  readonly id: string;
  readonly sequence: number;
  /** `<doctype>.<event>` */
  readonly event: string;
  readonly doctype: string;
  readonly document: string;
  readonly creation: string;
  /** The exact bytes, in UTF-8. */
  readonly body: string;
}

export interface PulledPage {
  readonly deliveries: readonly Pulled[];
  /** The cursor for the next request. */
  readonly after: string;
  /** More deliveries may follow at once. */
  readonly more: boolean;
}

/** Deliveries searched in one statement, and statements in one request. */
const SPAN = 8_192;
const SPANS = 16;

/**
 * The deliveries of a webhook after a cursor, in the order of their numbers and in any state: a second
 * channel for receivers that cannot be reached or missed some. Leaves out tests and resent deliveries.
 * @throws ServiceError PermissionError, DoesNotExistError; ValidationError for an invalid cursor
 */
export async function pullDeliveries(
  ctx: Context,
  webhook: string,
  after: string | null,
  limit: number,
): Promise<PulledPage> {
  requirePermission(ctx.user, ctx.doctypes.get('Webhook Request Log'), 'read');
  await readDocument(ctx, 'Webhook', webhook);
  const { reader } = ctx.site.database;
  const through = await settledUpTo(ctx.site.database);
  const newest = Math.min(through, await lastId(reader));
  let from = after === null ? await beginning(reader, webhook, newest) : parseCursor(after);
  let found: Row[] = [];
  for (let span = 0; span < SPANS && from < newest && found.length === 0; span += 1) {
    const to = Math.min(newest, from + SPAN);
    found = await reader.all(
      sql`select d."id", octet_length(b."body") as "bytes" from "_webhook_delivery" d
          join "_webhook_request" b on b."delivery" = d."id"
          where d."id" > ${from} and d."id" <= ${to} and d."webhook" = ${webhook}
          and d."is_test" = 0 and d."manual_of" is null and b."body" <> '' order by d."id" limit ${limit}`,
    );
    if (found.length < limit) from = to;
    if (found.length > 0) break;
  }
  const ids = fitting(found);
  const isCut = ids.length < found.length || found.length === limit;
  const last = isCut ? (ids.at(-1) ?? from) : from;
  return { deliveries: await readAll(reader, ids), after: String(last), more: isCut || from < newest };
}

function parseCursor(after: string): number {
  const id = /^\d{1,15}$/.test(after) ? Number(after) : Number.NaN;
  if (Number.isNaN(id)) throw new ServiceError('ValidationError', 'after is not a cursor of this feed');
  return id;
}

async function lastId(reader: Connection): Promise<number> {
  const row = await reader.get(sql`select max("id") as "id" from "_webhook_delivery"`);
  return Number(row?.['id'] ?? 0);
}

// If the order of numbers and of times differs a little at the start, the smallest number counts.
async function beginning(reader: Connection, webhook: string, newest: number): Promise<number> {
  const row = await reader.get(
    sql`select min("id") as "id" from (select "id" from "_webhook_delivery" where "webhook" = ${webhook}
        order by "creation" limit 100) as "first"`,
  );
  const first = row?.['id'];
  return typeof first === 'number' ? first - 1 : newest;
}

/** As many of the first rows as fit into a reply, but at least one. */
function fitting(rows: readonly Row[]): number[] {
  const ids: number[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += Number(row['bytes']);
    if (ids.length > 0 && bytes > LIMITS.pulledBytes) break;
    ids.push(Number(row['id']));
  }
  return ids;
}

async function readAll(reader: Connection, ids: readonly number[]): Promise<Pulled[]> {
  if (ids.length === 0) return [];
  const rows = await reader.all(
    sql`select d."name", coalesce(d."seq", d."id") as "sequence", d."event", d."reference_doctype", d."reference_document",
        d."creation", b."body" from "_webhook_delivery" d join "_webhook_request" b on b."delivery" = d."id"
        where d."id" in (${listed(ids)}) order by d."id"`,
  );
  return rows.map((row) => ({
    id: String(row['name']),
    sequence: Number(row['sequence']),
    event: `${row['reference_doctype']}.${row['event']}`,
    doctype: String(row['reference_doctype']),
    document: String(row['reference_document']),
    creation: String(row['creation']),
    body: String(row['body']),
  }));
}
