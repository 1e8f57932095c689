import type { Row } from '../../db/database.ts';
import { EMPTY, join, type Sql, sql } from '../../db/sql.ts';
import type { Context } from '../../document/context.ts';
import { allowedList } from '../../document/list.ts';
import { hasRightOn } from '../../document/rights-on.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { compileWhere } from '../../query/compile-condition.ts';

const LOG = 'Webhook Request Log';

/** Which deliveries a request is about. */
export interface Choice {
  /** As a list of Webhook Request Log takes them. */
  readonly filters: unknown;
  /** What they must be beside that, on `_webhook_delivery d`. */
  readonly condition: Sql;
  /** Only those made after the delivery of this name: the last one of the request before. */
  readonly after?: string | null;
}

/** Deliveries that were chosen. */
export interface Chosen {
  /** Names of the first of them, oldest first. */
  readonly names: readonly string[];
  /** How many there are in all. */
  readonly matching: number;
}

/**
 * Looks for deliveries that the user may see, in committed data and outside of the transaction: the log may be long.
 * @throws ServiceError as a list of the log
 */
export function choose(ctx: Context, choice: Choice): Promise<Chosen> {
  return ctx.beforehand(`deliveries ${JSON.stringify([choice.filters, choice.after])}`, () =>
    chosen(ctx, choice),
  );
}

async function chosen(ctx: Context, { filters, condition, after = null }: Choice): Promise<Chosen> {
  const { reader } = ctx.site.database;
  const { query, filter } = allowedList(ctx, LOG, { filters });
  const where = compileWhere(query, filter, reader.dialect, null);
  const from = sql`from "_webhook_delivery" d where ${condition}${behind(after)}${among(where)}`;
  const rows = await reader.all(
    sql`select d."name" ${from} order by d."id" limit ${LIMITS.deliveriesChosen}`,
  );
  const names = rows.map((row) => String(row['name']));
  if (names.length < LIMITS.deliveriesChosen) return { names, matching: names.length };
  const counted = await reader.get(sql`select count(*) as "count" ${from}`);
  return { names, matching: Number(counted?.['count'] ?? 0) };
}

// Behind one that is gone there is nothing: better to stop early than to send everything once more.
function behind(after: string | null): Sql {
  return after === null
    ? EMPTY
    : sql` and d."id" > (select f."id" from "_webhook_delivery" f where f."name" = ${after})`;
}

// Rows that the user may see are told by columns without a table: they have a query of their own.
function among(where: Sql | null): Sql {
  return where
    ? sql` and d."name" in (select "_t"."name" from "Webhook Request Log" as "_t" where ${where})`
    : EMPTY;
}

/**
 * The webhooks of these names, which stay as they are until the transaction ends. Needs write permission on each.
 * @throws ServiceError PermissionError, also for those that are gone
 */
export async function holdWebhooks(ctx: Context, names: Iterable<string>): Promise<ReadonlyMap<string, Row>> {
  const doctype = ctx.doctypes.get('Webhook');
  const found = new Map<string, Row>();
  for (const name of new Set(names)) {
    if (!(await hasRightOn(ctx, doctype, name, 'write'))) throw notPermitted(name);
    const lock = ctx.db.dialect.name === 'postgres' ? sql` for share` : EMPTY;
    const row = await ctx.db.get(
      sql`select "name", "enabled", "request_url", "request_method", "is_dynamic_url" from "Webhook"
          where "name" = ${name}${lock}`,
    );
    if (row) found.set(name, row);
  }
  return found;
}

function notPermitted(name: string): ServiceError {
  return new ServiceError('PermissionError', `You may not change the webhook ${name}, or there is none`);
}

/**
 * A delivery that the user may read the log of.
 * @throws ServiceError DoesNotExistError, PermissionError
 */
export async function requireReadable(ctx: Context, name: string): Promise<Row> {
  const { query, filter } = allowedList(ctx, LOG, {});
  const where = compileWhere(query, filter, ctx.db.dialect, null);
  const row = await ctx.db.get(
    sql`select d."name", d."webhook", d."state" from "_webhook_delivery" d where d."name" = ${name}${among(where)}`,
  );
  if (!row) throw new ServiceError('DoesNotExistError', `${LOG} ${name} not found`);
  return row;
}

/** A list of values for `in (…)`. */
export function listed(names: Iterable<string | number>): Sql {
  return join([...names].map((name) => sql`${name}`));
}
