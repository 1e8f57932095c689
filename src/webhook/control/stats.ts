import { requirePermission } from '../../access/permission.ts';
import type { Row } from '../../db/database.ts';
import { EMPTY, type Sql, sql } from '../../db/sql.ts';
import type { Context } from '../../document/contract.ts';
import { readDocument } from '../../document/verbs/read.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { DELIVERY_STATE, SHOWN_STATE } from '../queue/delivery-state.ts';
import { RECOVERED } from '../queue/log-views.ts';

/** Figures of deliveries, of one hour or in all. */
export interface Figures {
  deliveries: number;
  delivered: number;
  /** Given up, and not delivered by a resend since. */
  exhausted: number;
  /** Given up, and delivered by a resend since. */
  recovered: number;
  cancelled: number;
  held: number;
  /** Not sent yet, or waiting for a retry. */
  waiting: number;
  attempts: number;
  failed_attempts: number;
  /** Duration of attempts, milliseconds to two digits; null without any. */
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
  max_ms: number | null;
}

export interface Stats {
  /** `hour` is `YYYY-MM-DD HH`, in the site's time zone; `by` replaces it with the minute or the day. */
  readonly hours: readonly ({ readonly hour: string } & Figures)[];
  readonly total: Figures;
  /** Only on request. */
  readonly statuses?: readonly StatusCount[];
  readonly errors?: readonly ErrorCount[];
}

/** Attempts by response status; 0 for those without a response. */
export interface StatusCount {
  readonly response_status: number;
  readonly attempts: number;
}

/** Attempts with the same error, and the start of the last one. */
export interface ErrorCount {
  readonly error: string;
  readonly attempts: number;
  readonly last: string;
}

const HOUR = 60 * 60 * 1_000_000;

/** What becomes of deliveries in the figures. Leased and parked ones count as waiting. */
const OUTCOMES: Readonly<Record<number, 'delivered' | 'exhausted' | 'cancelled' | 'held'>> = {
  [DELIVERY_STATE.delivered]: 'delivered',
  [DELIVERY_STATE.exhausted]: 'exhausted',
  [DELIVERY_STATE.cancelled]: 'cancelled',
  [DELIVERY_STATE.held]: 'held',
};

/** Spans of counting: how many characters of a timestamp identify a span. */
export const SPANS = { minute: 16, hour: 13, day: 10 } as const;

export interface StatsQuestion {
  /** Null: all of them. */
  readonly webhook: string | null;
  readonly hours: number;
  readonly by: keyof typeof SPANS;
  /** Adds response statuses and the most frequent errors. */
  readonly details: boolean;
}

/**
 * Counts the deliveries of the last hours but tests, of one webhook or of all, by the hour of their creation.
 * Needs read permission on Webhook Request Log.
 * @throws ServiceError PermissionError, DoesNotExistError
 */
export async function deliveryStats(
  ctx: Context,
  { webhook, hours, by, details }: StatsQuestion,
): Promise<Stats> {
  requirePermission(ctx.user, ctx.doctypes.get('Webhook Request Log'), 'read');
  if (webhook !== null) await readDocument(ctx, 'Webhook', webhook);
  if (by === 'minute' && hours > LIMITS.statsMinuteHours) {
    throw new ServiceError(
      'ValidationError',
      `Figures by the minute cover at most ${LIMITS.statsMinuteHours} hours`,
    );
  }
  const { reader } = ctx.site.database;
  const made = sql`${madeWithin(ctx, hours)}${webhook === null ? EMPTY : sql` and d."webhook" = ${webhook}`}`;
  const span = sql`substr(${reader.dialect.asText(sql`d."creation"`, 'datetime')}, 1, ${SPANS[by]})`;
  const states = await reader.all(
    sql`select ${span} as "span", ${SHOWN_STATE} as "state", ${IS_RECOVERED} as "recovered", count(*) as "count"
        from "_webhook_delivery" d where ${made} group by 1, 2, 3`,
  );
  const times = await reader.all(
    sql`select ${span} as "span", ${ROUNDED} as "millis", count(*) as "count",
        sum(case when a."error" is null then 0 else 1 end) as "failed", max(a."duration_ms") as "longest"
        from "_webhook_delivery" d join "_webhook_attempt" a on a."delivery" = d."id" where ${made} group by 1, 2`,
  );
  return { ...assemble(states, times), ...(details ? await detailsOf(ctx, made) : {}) };
}

/** Deliveries `d` created in the last hours; tests are not part of any figure. */
export function madeWithin(ctx: Context, hours: number): Sql {
  const since = formatTimestamp(ctx.site.clock.micros() - hours * HOUR, ctx.site.config.timeZone);
  return sql`d."creation" >= ${since} and d."is_test" = 0`;
}

/** 1 for deliveries `d` that were given up and that a resend has delivered since. */
export const IS_RECOVERED = sql`case when ${RECOVERED} then 1 else 0 end`;

/**
 * Milliseconds of attempts `a`, rounded to two digits. Few values differ, so they are sorted here and not in
 * the database.
 */
export const ROUNDED = sql`case when a."duration_ms" < 100 then a."duration_ms"
  when a."duration_ms" < 1000 then a."duration_ms" / 10 * 10
  when a."duration_ms" < 10000 then a."duration_ms" / 100 * 100 else a."duration_ms" / 1000 * 1000 end`;

async function detailsOf(ctx: Context, made: Sql): Promise<Pick<Stats, 'statuses' | 'errors'>> {
  const { reader } = ctx.site.database;
  const from = sql`from "_webhook_delivery" d join "_webhook_attempt" a on a."delivery" = d."id" where ${made}`;
  const statuses = await reader.all(
    sql`select a."response_status", count(*) as "count" ${from} group by 1 order by 2 desc, 1 limit ${LIMITS.statsDetails}`,
  );
  const errors = await reader.all(
    sql`select a."error", count(*) as "count", max(a."started_at") as "last" ${from} and a."error" is not null
        group by 1 order by 2 desc, 1 limit ${LIMITS.statsDetails}`,
  );
  return {
    statuses: statuses.map((row) => ({
      response_status: Number(row['response_status']),
      attempts: Number(row['count']),
    })),
    errors: errors.map((row) => ({
      error: String(row['error']),
      attempts: Number(row['count']),
      last: String(row['last']),
    })),
  };
}

function assemble(states: readonly Row[], times: readonly Row[]): Stats {
  const bySpan = new Map<string, Tally>();
  const total = new Tally();
  const tallies = (row: Row) => {
    const span = String(row['span']);
    const tally = bySpan.get(span) ?? new Tally();
    bySpan.set(span, tally);
    return [tally, total];
  };
  for (const row of states) {
    for (const tally of tallies(row)) tally.addStates(row);
  }
  for (const row of times) for (const tally of tallies(row)) tally.addTimes(row);
  const hours = [...bySpan].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    hours: hours.map(([hour, tally]) => ({ hour, ...tally.figures() })),
    total: total.figures(),
  };
}

/** Sums rows of counts into figures. */
export class Tally {
  readonly #figures: Figures = {
    deliveries: 0,
    delivered: 0,
    exhausted: 0,
    recovered: 0,
    cancelled: 0,
    held: 0,
    waiting: 0,
    attempts: 0,
    failed_attempts: 0,
    p50_ms: null,
    p95_ms: null,
    p99_ms: null,
    max_ms: null,
  };
  readonly #times = new Map<number, number>();

  /** A row with a `state`, whether it was `recovered`, and the `count` of deliveries. */
  addStates(row: Row): void {
    const [state, count] = [Number(row['state']), Number(row['count'])];
    this.#figures.deliveries += count;
    this.#figures[Number(row['recovered']) === 1 ? 'recovered' : (OUTCOMES[state] ?? 'waiting')] += count;
  }

  addTimes(row: Row): void {
    const [millis, count] = [Number(row['millis']), Number(row['count'])];
    this.#figures.attempts += count;
    this.#figures.failed_attempts += Number(row['failed']);
    this.#figures.max_ms = Math.max(this.#figures.max_ms ?? 0, Number(row['longest']));
    this.#times.set(millis, (this.#times.get(millis) ?? 0) + count);
  }

  figures(): Figures {
    const sorted = [...this.#times].toSorted(([a], [b]) => a - b);
    const at = (share: number) => percentile(sorted, this.#figures.attempts * share);
    return { ...this.#figures, p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99) };
  }
}

/** The value at a rank, from values with their counts. */
function percentile(
  sorted: readonly (readonly [value: number, count: number])[],
  rank: number,
): number | null {
  let passed = 0;
  for (const [value, count] of sorted) {
    passed += count;
    if (passed >= rank) return value;
  }
  return null;
}
