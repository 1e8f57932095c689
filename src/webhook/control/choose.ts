import type { Row } from '../../db/database.ts';
import { EMPTY, join, type Sql, sql } from '../../db/sql.ts';
import type { Context } from '../../document/contract.ts';
import { allowedList } from '../../document/list/list.ts';
import { hasRightOn } from '../../document/load/rights-on.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { compileWhere } from '../../query/compile-condition.ts';

const LOG = 'Webhook Request Log';

/** Selects the deliveries of a request. */
export interface Choice {
  /** Filters on Webhook Request Log, as a list takes them. */
  readonly filters: unknown;
  /** A further condition on `_webhook_delivery d`. */
  readonly condition: Sql;
  /** Only deliveries created after the one of this name, the last of the previous request. */
  readonly after?: string | null;
}

/** The deliveries selected. */
export interface Chosen {
  /** Names of the first deliveries, oldest first. */
  readonly names: readonly string[];
  /** The number of all that match. */
  readonly matching: number;
}

/**
 * Selects deliveries that the user may see. Reads committed data outside the transaction, because the log may
 * be long.
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

// If the delivery of the cursor is gone, nothing follows it: stopping early is better than sending everything
// again.
function behind(after: string | null): Sql {
  return after === null
    ? EMPTY
    : sql` and d."id" > (select f."id" from "_webhook_delivery" f where f."name" = ${after})`;
}

// The columns that decide what a user may see have no table prefix, so they need a query of their own.
function among(where: Sql | null): Sql {
  return where
    ? sql` and d."name" in (select "_t"."name" from "Webhook Request Log" as "_t" where ${where})`
    : EMPTY;
}

/**
 * Locks the webhooks of these names until the transaction ends. Needs write permission on each.
 * @throws ServiceError PermissionError, also for webhooks that do not exist
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
  return new ServiceError('PermissionError', `Webhook ${name} does not exist, or you may not change it`);
}

/**
 * Checks that the user may read the delivery in the log.
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
