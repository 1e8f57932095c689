import type { Dialect } from './dialect.ts';
import { type Sql, sql } from './sql.ts';

/**
 * What the delivery engine keeps beside the deliveries. Times ending in `_at`, `_until`, `_since` are milliseconds since
 * the epoch.
 *
 * `_webhook_delivery`: `seq` is null where it is the `id` (a resent delivery keeps the number of its original); `manual_of` is the name of the delivery that was sent again, which stays the `webhook-id`;
 * `origin` is scheme://host:port of the address; `chain_depth` counts the deliveries that led here; `is_test` marks those
 * that somebody asked for to try a webhook; `suspect` counts how often a process died while this one was on its way.
 *
 * `_webhook_attempt`: times in milliseconds, null where there was nothing to measure (a connection that was open already);
 * `response_headers` is JSON text; `node` names the process.
 *
 * `_webhook_endpoint` is how a webhook's receiver has behaved; a webhook without a row has behaved well. `_webhook_node` has the processes that deliver, and
 * `_webhook_start` each start of the process that owns a SQLite file, `stopped_at` null where it did not stop in order.
 */
export function webhookEngineTables(dialect: Dialect): readonly Sql[] {
  const postgres = dialect.name === 'postgres';
  const text = postgres ? sql`text collate "C"` : sql`text`;
  const integer = postgres ? sql`bigint` : sql`integer`;
  const suffix = postgres ? sql`` : sql` strict`;
  const delivery = [
    sql`"seq" ${integer}`,
    sql`"manual_of" ${text}`,
    sql`"origin" ${text}`,
    sql`"chain_depth" ${integer} not null default 0`,
    sql`"is_test" ${integer} not null default 0`,
    sql`"suspect" ${integer} not null default 0`,
  ];
  const attempt = [
    sql`"dns_ms" ${integer}`,
    sql`"connect_ms" ${integer}`,
    sql`"tls_ms" ${integer}`,
    sql`"ttfb_ms" ${integer}`,
    sql`"response_headers" ${text}`,
    sql`"node" ${text}`,
  ];
  // SQLite's one process leases nothing, so the index would only be kept up.
  const unleased = [
    sql`update "_webhook_delivery" set "state" = 0, "owner" = null, "lease_until" = null where "state" = 1`,
    sql`drop index "_webhook_delivery_lease"`,
  ];
  return [
    ...(postgres ? [] : unleased),
    ...delivery.map((column) => sql`alter table "_webhook_delivery" add column ${column}`),
    ...attempt.map((column) => sql`alter table "_webhook_attempt" add column ${column}`),
    sql`create table "_webhook_endpoint" (
      "webhook" ${text} primary key,
      "failing_since" ${integer},
      "consecutive_failures" ${integer} not null default 0,
      "breaker" ${text} not null default 'closed',
      "breaker_until" ${integer},
      "paused_until" ${integer},
      "noticed_at" ${integer},
      "disabled_at" ${integer},
      "disabled_reason" ${text},
      "modified_at" ${integer} not null default 0
    )${suffix}`,
    sql`create table "_webhook_node" ("node" ${text} primary key, "seen_at" ${integer} not null)${suffix}`,
    sql`create table "_webhook_start" (
      "started_at" ${integer} not null,
      "node" ${text} primary key,
      "stopped_at" ${integer}
    )${suffix}`,
  ];
}
