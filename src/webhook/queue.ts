import type { Connection, Row } from '../db/database.ts';
import { sharedMillis } from '../db/shared-clock.ts';
import { EMPTY, join, type Sql, sql } from '../db/sql.ts';
import type { Site } from '../document/context.ts';

/** A delivery leased to this worker, with all that is frozen about it. */
export interface Delivery {
  readonly id: number;
  readonly name: string;
  readonly webhook: string;
  readonly event: string;
  readonly doctypeName: string;
  readonly orderKey: string;
  /** Attempts made before this one. */
  readonly attempts: number;
  /** Grows with every lease: what an earlier holder reports is refused. */
  readonly epoch: number;
  readonly method: string;
  readonly url: string;
  readonly headers: string;
  readonly body: string;
}

/** A webhook with waiting deliveries, and the milliseconds until the first is due (negative: overdue). */
export interface Waiting {
  readonly webhook: string;
  readonly dueIn: number;
}

/** How many deliveries of a webhook to lease, at most. */
export interface Quota {
  readonly webhook: string;
  readonly limit: number;
}

/** What became of a leased delivery. */
export interface Settlement {
  readonly delivery: Delivery;
  readonly state: 'delivered' | 'retry' | 'exhausted';
  /** Milliseconds until the next attempt; only for `retry`. */
  readonly delay: number;
  /** The same as a timestamp of the log. */
  readonly nextRetry: string | null;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly millis: number;
  readonly status: number;
  readonly error: string | null;
  readonly response: string | null;
  readonly remoteIp: string | null;
}

/** Webhooks that have deliveries to send, found by skipping through the index of waiting rows. */
export async function waitingWebhooks(connection: Connection, site: Pick<Site, 'clock'>): Promise<Waiting[]> {
  const rows = await connection.all(
    sql`with recursive "w" ("webhook") as (
          select min(d."webhook") from "_webhook_delivery" d where d."state" = 0
          union all
          select (select min(d."webhook") from "_webhook_delivery" d
                  where d."state" = 0 and d."webhook" > "w"."webhook")
          from "w" where "w"."webhook" is not null)
        select "w"."webhook", (select min(d."due_at") from "_webhook_delivery" d
          where d."state" = 0 and d."webhook" = "w"."webhook") - ${sharedMillis(connection, site.clock)} as "due_in"
        from "w" where "w"."webhook" is not null`,
  );
  return rows.map((row) => ({ webhook: text(row, 'webhook'), dueIn: number(row, 'due_in') }));
}

/**
 * Leases due deliveries to `owner` for `lease` milliseconds, oldest first, within each webhook's quota. Never one whose
 * webhook is disabled or gone, nor one that an earlier delivery of the same webhook and document has yet to precede.
 */
export async function claimDeliveries(
  connection: Connection,
  site: Pick<Site, 'clock'>,
  owner: string,
  lease: number,
  quotas: readonly Quota[],
): Promise<Delivery[]> {
  const now = sharedMillis(connection, site.clock);
  const skipLocked = connection.dialect.name === 'postgres' ? sql` for update of d skip locked` : EMPTY;
  const due = quotas
    .map(({ webhook, limit }) => dueIds(webhook, limit, now, skipLocked))
    .reduce((all, next) => sql`${all} union all ${next}`);
  const rows = await connection.all(
    sql`update "_webhook_delivery" set "state" = 1, "owner" = ${owner},
        "lease_until" = ${now} + cast(${lease} as bigint), "epoch" = "epoch" + 1
        where "id" in (${due}) and "state" = 0
        returning "id", "name", "webhook", "event", "reference_doctype", "order_key", "attempt", "epoch"`,
  );
  if (rows.length === 0) return [];
  const ids = join(rows.map((row) => sql`${number(row, 'id')}`));
  const bodies = new Map<number, Row>();
  const found = await connection.all(
    sql`select "delivery", "method", "url", "headers", "body" from "_webhook_body" where "delivery" in (${ids})`,
  );
  for (const body of found) bodies.set(number(body, 'delivery'), body);
  return rows
    .map((row) => toDelivery(row, bodies.get(number(row, 'id')) ?? {}))
    .sort((left, right) => left.id - right.id);
}

function dueIds(webhook: string, limit: number, now: Sql, skipLocked: Sql): Sql {
  return sql`select "id" from (select d."id" from "_webhook_delivery" d
    where d."webhook" = ${webhook} and d."state" = 0 and d."due_at" <= ${now}
    and not exists (select 1 from "_webhook_delivery" p where p."webhook" = d."webhook"
      and p."order_key" = d."order_key" and p."id" < d."id" and p."state" in (0, 1, 5, 6))
    and exists (select 1 from "Webhook" w where w."name" = d."webhook" and w."enabled" = 1)
    order by d."due_at", d."id" limit ${limit}${skipLocked}) as "due"`;
}

function toDelivery(row: Row, body: Row): Delivery {
  return {
    id: number(row, 'id'),
    name: text(row, 'name'),
    webhook: text(row, 'webhook'),
    event: text(row, 'event'),
    doctypeName: text(row, 'reference_doctype'),
    orderKey: text(row, 'order_key'),
    attempts: number(row, 'attempt'),
    epoch: number(row, 'epoch'),
    method: text(body, 'method'),
    url: text(body, 'url'),
    headers: text(body, 'headers'),
    body: text(body, 'body'),
  };
}

/**
 * Records what became of leased deliveries, with an attempt row each, and lets the next delivery of a document go when
 * one is through. A delivery that is no longer leased at that epoch is left alone.
 */
export async function settleDeliveries(
  connection: Connection,
  site: Pick<Site, 'clock'>,
  settlements: readonly Settlement[],
): Promise<void> {
  const now = sharedMillis(connection, site.clock);
  const rows = settlements.map((settlement) => settlementRow(connection, settlement, now));
  const settled = await connection.all(
    sql`with "s" ("id", "epoch", "state", "due_at", "status", "error", "modified", "next_retry", "done_at")
        as (values ${join(rows)})
        update "_webhook_delivery" set "state" = "s"."state", "attempt" = "_webhook_delivery"."attempt" + 1,
        "due_at" = "s"."due_at", "response_status" = "s"."status", "error" = "s"."error",
        "modified" = "s"."modified", "next_retry" = "s"."next_retry", "done_at" = "s"."done_at",
        "lease_until" = null, "owner" = null
        from "s" where "_webhook_delivery"."id" = "s"."id" and "_webhook_delivery"."epoch" = "s"."epoch"
        and "_webhook_delivery"."state" = 1
        returning "_webhook_delivery"."id"`,
  );
  const ids = new Set(settled.map((row) => number(row, 'id')));
  const valid = settlements.filter(({ delivery }) => ids.has(delivery.id));
  if (valid.length === 0) return;
  await connection.run(
    sql`insert into "_webhook_attempt" ("delivery", "n", "started_at", "duration_ms", "response_status", "error",
        "response", "remote_ip") values ${join(valid.map(attemptRow))}`,
  );
  const through = valid.filter(({ state }) => state !== 'retry');
  if (through.length > 0) await promoteNext(connection, through, now);
}

// A webhook disabled meanwhile holds what would be tried again.
function nextState({ state, delivery }: Settlement): Sql {
  if (state === 'delivered') return sql`2`;
  if (state === 'exhausted') return sql`3`;
  return sql`case when exists (select 1 from "Webhook" w
    where w."name" = ${delivery.webhook} and w."enabled" = 1) then 0 else 5 end`;
}

function settlementRow(connection: Connection, settlement: Settlement, now: Sql): Sql {
  const { delivery, state } = settlement;
  const done = state === 'retry' ? sql`cast(null as bigint)` : now;
  const [ended, next] = [settlement.endedAt, settlement.nextRetry].map((value) =>
    connection.dialect.name === 'postgres' ? sql`cast(${value} as timestamp(6))` : sql`${value}`,
  );
  return sql`(cast(${delivery.id} as bigint), cast(${delivery.epoch} as bigint), ${nextState(settlement)},
    ${now} + cast(${settlement.delay} as bigint), cast(${settlement.status} as bigint),
    cast(${settlement.error} as text), ${ended ?? null}, ${next ?? null}, ${done})`;
}

function attemptRow(settlement: Settlement): Sql {
  const { delivery, startedAt, millis, status, error, response, remoteIp } = settlement;
  return sql`(${delivery.id}, ${delivery.attempts + 1}, ${startedAt}, ${millis}, ${status}, ${error}, ${response},
    ${remoteIp})`;
}

async function promoteNext(connection: Connection, through: readonly Settlement[], now: Sql): Promise<void> {
  const heads = through.map(
    ({ delivery }) => sql`(select f."id" from "_webhook_delivery" f where f."webhook" = ${delivery.webhook}
      and f."order_key" = ${delivery.orderKey} and f."state" in (0, 1, 5, 6) order by f."id" limit 1)`,
  );
  await connection.run(
    sql`update "_webhook_delivery" set "state" = 0, "due_at" = ${now} where "state" = 6 and "id" in (${join(heads)})`,
  );
}

/** Makes due again what dead or frozen workers held. On SQLite at start that is everything: the process is alone. */
export async function reclaimDeliveries(
  connection: Connection,
  site: Pick<Site, 'clock'>,
  which: 'expired' | 'all',
): Promise<number> {
  const expired = which === 'all' ? EMPTY : sql`and "lease_until" < ${sharedMillis(connection, site.clock)}`;
  return connection.run(
    sql`update "_webhook_delivery" set "state" = 0, "owner" = null, "lease_until" = null
        where "state" = 1 ${expired}`,
  );
}

/** Gives back what `owner` holds, at once: it stops. */
export async function releaseLeases(connection: Connection, owner: string): Promise<void> {
  await connection.run(
    sql`update "_webhook_delivery" set "state" = 0, "owner" = null, "lease_until" = null
        where "state" = 1 and "owner" = ${owner}`,
  );
}

/**
 * Lets parked deliveries go that nothing precedes any more. On PostgreSQL one can be parked behind a delivery that
 * another transaction settles at the same moment; here it is found.
 */
export async function promoteStranded(connection: Connection, site: Pick<Site, 'clock'>): Promise<number> {
  return connection.run(
    sql`update "_webhook_delivery" set "state" = 0, "due_at" = ${sharedMillis(connection, site.clock)}
        where "state" = 6 and not exists (select 1 from "_webhook_delivery" p
          where p."webhook" = "_webhook_delivery"."webhook" and p."order_key" = "_webhook_delivery"."order_key"
          and p."id" < "_webhook_delivery"."id" and p."state" in (0, 1, 5, 6))`,
  );
}

function text(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : '';
}

function number(row: Row, column: string): number {
  return Number(row[column] ?? 0);
}
