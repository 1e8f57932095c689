import { requirePermission } from '../../access/permission.ts';
import type { Row } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Context } from '../../document/context.ts';
import { listDocuments } from '../../document/list.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type Figures, madeWithin, ROUNDED, Tally } from './stats.ts';

/** How a webhook fared, and what went wrong last. */
export interface WebhookOverview extends Figures {
  readonly webhook: string;
  /** Of the hours that had any, in the site's time zone: deliveries made, and those among them given up or to be tried again. */
  readonly by_hour: readonly {
    readonly hour: string;
    readonly deliveries: number;
    readonly failed: number;
  }[];
  readonly last_error: string | null;
  readonly last_error_at: string | null;
}

/** What is to be sent of the webhooks shown, whenever it was made. */
export interface QueueNow {
  readonly waiting: number;
  /** Among those that wait: tried before. */
  readonly retrying: number;
  readonly held: number;
  /** When the oldest that is not held was made; null without any. */
  readonly oldest: string | null;
}

export interface Overview {
  readonly webhooks: readonly WebhookOverview[];
  readonly queue: QueueNow;
}

/**
 * All webhooks that the user may see side by side: figures of the last hours, and the queue. Needs read permission on Webhook and
 * on Webhook Request Log.
 * @throws ServiceError PermissionError
 */
export async function webhookOverview(ctx: Context, hours: number): Promise<Overview> {
  requirePermission(ctx.user, ctx.doctypes.get('Webhook Request Log'), 'read');
  const shown = await listDocuments(ctx, 'Webhook', {
    fields: ['name'],
    order_by: 'name asc',
    limit_page_length: LIMITS.overviewWebhooks,
  });
  const names = shown.map((row) => String(row['name']));
  const made = madeWithin(ctx, hours);
  const [states, times, errors] = [
    await statesOf(ctx, made),
    await timesOf(ctx, made),
    await errorsOf(ctx, made),
  ];
  const tallies = new Map(names.map((name) => [name, new Tally()]));
  const hourly = new Map(
    names.map((name) => [name, new Map<string, { deliveries: number; failed: number }>()]),
  );
  for (const row of states) {
    const [webhook, hour, count] = [String(row['webhook']), String(row['hour']), Number(row['count'])];
    tallies.get(webhook)?.addState(Number(row['state']), count);
    const counts = hourly.get(webhook)?.get(hour) ?? { deliveries: 0, failed: 0 };
    counts.deliveries += count;
    if (Number(row['failed']) === 1) counts.failed += count;
    hourly.get(webhook)?.set(hour, counts);
  }
  for (const row of times) tallies.get(String(row['webhook']))?.addTimes(row);
  const lastErrors = new Map(errors.map((row) => [String(row['webhook']), row]));
  return {
    webhooks: [...tallies].map(([webhook, tally]) => ({
      webhook,
      ...tally.figures(),
      by_hour: [...(hourly.get(webhook) ?? [])]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([hour, counts]) => ({ hour, ...counts })),
      last_error: textOf(lastErrors.get(webhook)?.['error']),
      last_error_at: textOf(lastErrors.get(webhook)?.['creation']),
    })),
    queue: await queueOf(ctx, new Set(names)),
  };
}

// No name of a column: else SQLite goes through the whole log in its order in place of the hours that are asked for.
const BY_WEBHOOK = sql`d."webhook" || ''`;

function statesOf(ctx: Context, made: Sql): Promise<readonly Row[]> {
  const { reader } = ctx.site.database;
  const hour = sql`substr(${reader.dialect.asText(sql`d."creation"`, 'datetime')}, 1, 13)`;
  const failed = sql`case when d."state" = 3 or (d."state" in (0, 1, 6) and d."attempt" > 0) then 1 else 0 end`;
  return reader.all(
    sql`select d."webhook", ${hour} as "hour", d."state", ${failed} as "failed", count(*) as "count"
        from "_webhook_delivery" d where ${made} group by 1, 2, 3, 4`,
  );
}

function timesOf(ctx: Context, made: Sql): Promise<readonly Row[]> {
  return ctx.site.database.reader.all(
    sql`select ${BY_WEBHOOK} as "webhook", ${ROUNDED} as "millis", count(*) as "count",
        sum(case when a."error" is null then 0 else 1 end) as "failed", max(a."duration_ms") as "longest"
        from "_webhook_delivery" d join "_webhook_attempt" a on a."delivery" = d."id" where ${made} group by 1, 2`,
  );
}

// Of those that failed to the end or for now: a delivery forgets its error when it arrives.
function errorsOf(ctx: Context, made: Sql): Promise<readonly Row[]> {
  return ctx.site.database.reader.all(
    sql`select "webhook", "error", "creation" from "_webhook_delivery" where "id" in
        (select max(d."id") from "_webhook_delivery" d
         where ${made} and d."error" is not null and d."state" <> 4 group by ${BY_WEBHOOK})`,
  );
}

async function queueOf(ctx: Context, names: ReadonlySet<string>): Promise<QueueNow> {
  const rows = await ctx.site.database.reader.all(
    sql`select "webhook", case when "state" = 5 then 1 else 0 end as "held",
        case when "attempt" > 0 then 1 else 0 end as "tried", count(*) as "count", min("creation") as "first"
        from "_webhook_delivery" where "state" in (0, 1, 5, 6) group by 1, 2, 3`,
  );
  const queue = { waiting: 0, retrying: 0, held: 0, oldest: null as string | null };
  for (const row of rows) {
    if (!names.has(String(row['webhook']))) continue;
    const count = Number(row['count']);
    if (Number(row['held']) === 1) {
      queue.held += count;
      continue;
    }
    queue.waiting += count;
    if (Number(row['tried']) === 1) queue.retrying += count;
    const first = String(row['first']);
    if (queue.oldest === null || first < queue.oldest) queue.oldest = first;
  }
  return queue;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
