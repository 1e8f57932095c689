import type { Dialect } from '../../db/dialect.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { STATE } from './delivery-state.ts';

/**
 * Tables of the delivery engine beside the deliveries. Times ending in `_at`, `_until`, `_since` are
 * milliseconds since the epoch.
 *
 * `_webhook_delivery`: `seq` is null where it equals `id` (a resent delivery keeps the number of its
 * original); `manual_of` is the name of the resent delivery, which stays the `webhook-id`; `origin` is
 * scheme://host:port of the address; `chain_depth` counts the deliveries that led to this one; `is_test`
 * marks test deliveries; `suspect` counts how often a process died while this one was in flight.
 *
 * `_webhook_attempt`: times in milliseconds, null for steps that did not happen (the connection was open
 * already); `response_headers` is JSON text; `node` names the process.
 *
 * `_webhook_endpoint` records how a webhook's receiver has behaved; a webhook without a row has behaved well.
 * `_webhook_node` lists the processes that deliver. `_webhook_start` lists each start of the process that
 * owns a SQLite file; `stopped_at` is null after a crash.
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
  // On SQLite a single process delivers and leases nothing, so the index would only cost writes.
  const unleased = [
    sql`update "_webhook_delivery" set "state" = ${STATE.waiting}, "owner" = null, "lease_until" = null
      where "state" = ${STATE.leased}`,
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

/**
 * What processes tell each other with their heartbeats. `fast`: the webhooks at home there with a fast receiver,
 * as JSON text; null from a version that spreads no webhooks.
 */
export function webhookFastReceivers(dialect: Dialect): readonly Sql[] {
  const text = dialect.name === 'postgres' ? sql`text collate "C"` : sql`text`;
  return [sql`alter table "_webhook_node" add column "fast" ${text}`];
}
