import { requirePermission } from '../../access/permission.ts';
import type { Row } from '../../db/database.ts';
import { EMPTY, type Sql, sql } from '../../db/sql.ts';
import type { Context } from '../../document/context.ts';
import { readDocument } from '../../document/read.ts';
import { formatTimestamp } from '../../kernel/clock.ts';

/** How deliveries fared: those made in one hour, or in all. */
export interface Figures {
  deliveries: number;
  delivered: number;
  exhausted: number;
  cancelled: number;
  held: number;
  /** Not sent yet, or to be tried again. */
  waiting: number;
  attempts: number;
  failed_attempts: number;
  /** How long attempts took, milliseconds to two digits; null without any. */
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
  max_ms: number | null;
}

export interface Stats {
  /** `YYYY-MM-DD HH`, in the site's time zone. */
  readonly hours: readonly ({ readonly hour: string } & Figures)[];
  readonly total: Figures;
}

const HOUR = 60 * 60 * 1_000_000;

/** States as `_webhook_delivery` numbers them; 1 and 6 wait too. */
const STATES: Readonly<Record<number, 'delivered' | 'exhausted' | 'cancelled' | 'held'>> = {
  2: 'delivered',
  3: 'exhausted',
  4: 'cancelled',
  5: 'held',
};

/**
 * Counts the deliveries of the last hours, of one webhook or of all, by the hour in which they were made. Needs read permission on
 * Webhook Request Log.
 * @throws ServiceError PermissionError, DoesNotExistError
 */
export async function deliveryStats(ctx: Context, webhook: string | null, hours: number): Promise<Stats> {
  requirePermission(ctx.user, ctx.doctypes.get('Webhook Request Log'), 'read');
  if (webhook !== null) await readDocument(ctx, 'Webhook', webhook);
  const { reader } = ctx.site.database;
  const since = formatTimestamp(ctx.site.clock.micros() - hours * HOUR, ctx.site.config.timeZone);
  const hour = sql`substr(${reader.dialect.asText(sql`d."creation"`, 'datetime')}, 1, 13)`;
  const made: Sql = sql`d."creation" >= ${since}${webhook === null ? EMPTY : sql` and d."webhook" = ${webhook}`}`;
  const states = await reader.all(
    sql`select ${hour} as "hour", d."state", count(*) as "count" from "_webhook_delivery" d where ${made} group by 1, 2`,
  );
  // To two digits there are few different times: they are sorted here, and not by the database.
  const millis = sql`a."duration_ms"`;
  const rounded = sql`case when ${millis} < 100 then ${millis} when ${millis} < 1000 then ${millis} / 10 * 10
    when ${millis} < 10000 then ${millis} / 100 * 100 else ${millis} / 1000 * 1000 end`;
  const times = await reader.all(
    sql`select ${hour} as "hour", ${rounded} as "millis", count(*) as "count",
        sum(case when a."error" is null then 0 else 1 end) as "failed", max(${millis}) as "longest"
        from "_webhook_delivery" d join "_webhook_attempt" a on a."delivery" = d."id" where ${made} group by 1, 2`,
  );
  return assemble(states, times);
}

function assemble(states: readonly Row[], times: readonly Row[]): Stats {
  const byHour = new Map<string, Tally>();
  const total = new Tally();
  const tallies = (row: Row) => {
    const hour = String(row['hour']);
    const tally = byHour.get(hour) ?? new Tally();
    byHour.set(hour, tally);
    return [tally, total];
  };
  for (const row of states) {
    for (const tally of tallies(row)) tally.addState(Number(row['state']), Number(row['count']));
  }
  for (const row of times) for (const tally of tallies(row)) tally.addTimes(row);
  const hours = [...byHour].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    hours: hours.map(([hour, tally]) => ({ hour, ...tally.figures() })),
    total: total.figures(),
  };
}

class Tally {
  readonly #figures: Figures = {
    deliveries: 0,
    delivered: 0,
    exhausted: 0,
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

  addState(state: number, count: number): void {
    this.#figures.deliveries += count;
    this.#figures[STATES[state] ?? 'waiting'] += count;
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

/** The value at a rank among values with how often each occurs. */
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
