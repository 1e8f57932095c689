import type { Dialect } from '../../db/dialect.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { STATE } from './delivery-state.ts';

/**
 * Tables and views of webhook deliveries, in order of creation.
 *
 * `_webhook_delivery` is narrow and hot: one row per event and webhook, written in the document's
 * transaction. `id` grows and gives the order of deliveries; `name` is public and the same for all attempts
 * (the `webhook-id` header). `due_at`, `lease_until`, `done_at` are milliseconds since the epoch; only earlier
 * versions write `lease_until`. `state` is a DELIVERY_STATE. Indexes on live rows are partial, so ended deliveries
 * add no cost.
 *
 * The views are the tables of the virtual doctypes "Webhook Request Log" and "Webhook Request Log Attempt".
 */
export function webhookTables(dialect: Dialect): readonly Sql[] {
  const types = dialect.name === 'postgres' ? POSTGRES : SQLITE;
  return [...deliveryTables(types), ...logViews(types)];
}

function deliveryTables(types: Types): readonly Sql[] {
  const { text, integer, datetime, identity } = types;
  return [
    sql`create table "_webhook_delivery" (
      "id" ${identity},
      "name" ${text} not null,
      "webhook" ${text} not null,
      "event" ${text} not null,
      "reference_doctype" ${text} not null,
      "reference_document" ${text} not null,
      "user" ${text} not null,
      "order_key" ${text} not null,
      "state" ${integer} not null default 0,
      "attempt" ${integer} not null default 0,
      "due_at" ${integer} not null,
      "lease_until" ${integer},
      "owner" ${text},
      "epoch" ${integer} not null default 0,
      "response_status" ${integer} not null default 0,
      "error" ${text},
      "creation" ${datetime} not null,
      "modified" ${datetime} not null,
      "next_retry" ${datetime},
      "done_at" ${integer}
    )${types.hotOptions}`,
    sql`create unique index "_webhook_delivery_name" on "_webhook_delivery" ("name")`,
    sql`create index "_webhook_delivery_ready" on "_webhook_delivery" ("webhook", "due_at", "id")
      where "state" = ${STATE.waiting}`,
    sql`create index "_webhook_delivery_order" on "_webhook_delivery" ("webhook", "order_key", "id")
      where "state" in (0, 1, 5, 6)`,
    sql`create index "_webhook_delivery_lease" on "_webhook_delivery" ("lease_until") where "state" = ${STATE.leased}`,
    sql`create index "_webhook_delivery_parked" on "_webhook_delivery" ("id") where "state" = ${STATE.parked}`,
    sql`create index "_webhook_delivery_done" on "_webhook_delivery" ("done_at") where "state" in (2, 3, 4)`,
    sql`create index "_webhook_delivery_log" on "_webhook_delivery" ("webhook", "creation")`,
    sql`create index "_webhook_delivery_creation" on "_webhook_delivery" ("creation")`,
    // The request to send, frozen with the document's change. `headers` is JSON text with sensitive values
    // masked.
    sql`create table "_webhook_body" (
      "delivery" ${integer} primary key,
      "method" ${text} not null,
      "url" ${text} not null,
      "headers" ${text} not null,
      "body" ${text} not null
    )${types.strict}`,
    sql`create table "_webhook_attempt" (
      "delivery" ${integer} not null,
      "n" ${integer} not null,
      "started_at" ${datetime} not null,
      "duration_ms" ${integer} not null,
      "response_status" ${integer} not null,
      "error" ${text},
      "response" ${text},
      "remote_ip" ${text},
      primary key ("delivery", "n")
    )${types.clustered}`,
  ];
}

function logViews(types: Types): readonly Sql[] {
  return [
    sql`create view "Webhook Request Log" as select
      d."name", d."user" as "owner", d."creation", d."modified", d."user" as "modified_by",
      ${types.zero} as "docstatus", ${types.zero} as "idx",
      d."webhook", d."reference_doctype", d."reference_document", d."event", d."user",
      (select b."url" from "_webhook_body" b where b."delivery" = d."id") as "url",
      (select b."headers" from "_webhook_body" b where b."delivery" = d."id") as "headers",
      (select b."body" from "_webhook_body" b where b."delivery" = d."id") as "data",
      (select a."response" from "_webhook_attempt" a where a."delivery" = d."id"
        order by a."n" desc limit 1) as "response",
      d."response_status", d."error",
      case d."state"
        when ${STATE.delivered} then ${types.word('Delivered')} when ${STATE.exhausted} then ${types.word('Exhausted')}
        when ${STATE.cancelled} then ${types.word('Cancelled')} when ${STATE.held} then ${types.word('Held')}
        else case when d."attempt" > 0 then ${types.word('Failed')} else ${types.word('Pending')} end
      end as "status",
      d."attempt", d."next_retry"
      from "_webhook_delivery" d`,
    sql`create view "Webhook Request Log Attempt" as select
      ${types.attemptName} as "name", d."user" as "owner",
      a."started_at" as "creation", a."started_at" as "modified", d."user" as "modified_by",
      ${types.zero} as "docstatus", a."n" as "idx",
      d."name" as "parent", ${types.word('attempts')} as "parentfield",
      ${types.word('Webhook Request Log')} as "parenttype",
      a."n" as "attempt", a."started_at", a."duration_ms", a."response_status", a."error", a."response",
      a."remote_ip"
      from "_webhook_attempt" a join "_webhook_delivery" d on d."id" = a."delivery"`,
  ];
}

type Word = 'Delivered' | 'Exhausted' | 'Cancelled' | 'Held' | 'Failed' | 'Pending';

interface Types {
  readonly text: Sql;
  readonly integer: Sql;
  readonly datetime: Sql;
  readonly identity: Sql;
  readonly strict: Sql;
  readonly clustered: Sql;
  readonly hotOptions: Sql;
  readonly zero: Sql;
  readonly attemptName: Sql;
  word(word: Word | 'attempts' | 'Webhook Request Log'): Sql;
}

// A view cannot contain bound values, so its constants are inlined.
const WORDS: Readonly<Record<Parameters<Types['word']>[0], Sql>> = {
  Delivered: sql`'Delivered'`,
  Exhausted: sql`'Exhausted'`,
  Cancelled: sql`'Cancelled'`,
  Held: sql`'Held'`,
  Failed: sql`'Failed'`,
  Pending: sql`'Pending'`,
  attempts: sql`'attempts'`,
  'Webhook Request Log': sql`'Webhook Request Log'`,
};

const SQLITE: Types = {
  text: sql`text`,
  integer: sql`integer`,
  datetime: sql`text`,
  // Never reuses a number, so that an attempt of a deleted delivery cannot appear under a new one.
  identity: sql`integer primary key autoincrement`,
  strict: sql` strict`,
  clustered: sql` strict, without rowid`,
  hotOptions: sql` strict`,
  zero: sql`0`,
  attemptName: sql`d."name" || '-' || a."n"`,
  word: (word) => WORDS[word],
};

const POSTGRES: Types = {
  text: sql`text collate "C"`,
  integer: sql`bigint`,
  datetime: sql`timestamp(6)`,
  identity: sql`bigint generated always as identity primary key`,
  strict: sql``,
  clustered: sql``,
  // Every row is updated several times soon after its insert, so vacuum early.
  hotOptions: sql` with (autovacuum_vacuum_scale_factor = 0.02)`,
  zero: sql`0::bigint`,
  attemptName: sql`(d."name" || '-' || a."n"::text) collate "C"`,
  word: (word) => sql`${WORDS[word]}::text collate "C"`,
};
