import { requirePermission } from '../../access/permission.ts';
import type { Row } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Context } from '../../document/contract.ts';
import { listDocuments } from '../../document/list/list.ts';
import { formatTimestamp, nowMillis } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { textOrNull } from '../../kernel/value.ts';
import { OPEN_DELIVERIES, SHOWN_STATE, STATE } from '../queue/delivery-state.ts';
import { RECOVERED } from '../queue/log-views.ts';
import { restingWebhooks } from './rests.ts';
import { type Figures, IS_RECOVERED, madeWithin, ROUNDED, Tally } from './stats.ts';

/** The figures of a webhook, and its last error. */
export interface WebhookOverview extends Figures {
  readonly webhook: string;
  /**
   * Only hours with deliveries, in the site's time zone: the deliveries created, and how many of them were
   * given up, and not delivered since, or will be retried.
   */
  readonly by_hour: readonly {
    readonly hour: string;
    readonly deliveries: number;
    readonly failed: number;
  }[];
  readonly last_error: string | null;
  readonly last_error_at: string | null;
  /** The time of the next attempt to a failing receiver, also of other webhooks to it; null without a rest. */
  readonly resting_until: string | null;
}

/** The backlog of the webhooks shown, whatever the age of its deliveries. */
export interface QueueNow {
  readonly waiting: number;
  /** How many waiting deliveries are retries. */
  readonly retrying: number;
  readonly held: number;
  /** The creation time of the oldest delivery that is not held; null without any. */
  readonly oldest: string | null;
}

export interface Overview {
  readonly webhooks: readonly WebhookOverview[];
  readonly queue: QueueNow;
}

/**
 * All webhooks that the user may see: their figures of the last hours without tests, and their backlog. Needs
 * read permission on Webhook and on Webhook Request Log.
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
    tallies.get(webhook)?.addStates(row);
    const counts = hourly.get(webhook)?.get(hour) ?? { deliveries: 0, failed: 0 };
    counts.deliveries += count;
    if (Number(row['failed']) === 1) counts.failed += count;
    hourly.get(webhook)?.set(hour, counts);
  }
  for (const row of times) tallies.get(String(row['webhook']))?.addTimes(row);
  const rests = await restingWebhooks(ctx.site, nowMillis(ctx.site.clock));
  const lastErrors = new Map(errors.map((row) => [String(row['webhook']), row]));
  return {
    webhooks: [...tallies].map(([webhook, tally]) => ({
      webhook,
      ...tally.figures(),
      by_hour: [...(hourly.get(webhook) ?? [])]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([hour, counts]) => ({ hour, ...counts })),
      last_error: textOrNull(lastErrors.get(webhook)?.['error']),
      last_error_at: textOrNull(lastErrors.get(webhook)?.['creation']),
      resting_until: timeText(ctx, rests.get(webhook)),
    })),
    queue: await queueOf(ctx, new Set(names)),
  };
}

function timeText({ site }: Context, millis: number | undefined): string | null {
  return millis === undefined ? null : formatTimestamp(millis * 1_000, site.config.timeZone);
}

// An expression and not the bare column: otherwise SQLite scans the whole log by this index instead of the
// hours asked for.
const BY_WEBHOOK = sql`d."webhook" || ''`;

function statesOf(ctx: Context, made: Sql): Promise<readonly Row[]> {
  const { reader } = ctx.site.database;
  const hour = sql`substr(${reader.dialect.asText(sql`d."creation"`, 'datetime')}, 1, 13)`;
  const failed = sql`case when (d."state" = ${STATE.exhausted} and not ${RECOVERED})
    or (d."state" in (${STATE.waiting}, ${STATE.leased}, ${STATE.parked}) and d."attempt" > 0) then 1 else 0 end`;
  return reader.all(
    sql`select d."webhook", ${hour} as "hour", ${SHOWN_STATE} as "state", ${failed} as "failed", ${IS_RECOVERED} as "recovered",
        count(*) as "count" from "_webhook_delivery" d where ${made} group by 1, 2, 3, 4, 5`,
  );
}

function timesOf(ctx: Context, made: Sql): Promise<readonly Row[]> {
  return ctx.site.database.reader.all(
    sql`select ${BY_WEBHOOK} as "webhook", ${ROUNDED} as "millis", count(*) as "count",
        sum(case when a."error" is null then 0 else 1 end) as "failed", max(a."duration_ms") as "longest"
        from "_webhook_delivery" d join "_webhook_attempt" a on a."delivery" = d."id" where ${made} group by 1, 2`,
  );
}

// Errors of deliveries that were given up or will be retried: a delivery loses its error when it is
// delivered.
function errorsOf(ctx: Context, made: Sql): Promise<readonly Row[]> {
  return ctx.site.database.reader.all(
    sql`select "webhook", "error", "creation" from "_webhook_delivery" where "id" in
        (select max(d."id") from "_webhook_delivery" d
         where ${made} and d."error" is not null and d."state" <> ${STATE.cancelled} and not ${RECOVERED} group by ${BY_WEBHOOK})`,
  );
}

async function queueOf(ctx: Context, names: ReadonlySet<string>): Promise<QueueNow> {
  const rows = await ctx.site.database.reader.all(
    sql`select "webhook", case when "state" = ${STATE.held} then 1 else 0 end as "held",
        case when "attempt" > 0 then 1 else 0 end as "tried", count(*) as "count", min("creation") as "first"
        from ${OPEN_DELIVERIES} as "d" group by 1, 2, 3`,
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
