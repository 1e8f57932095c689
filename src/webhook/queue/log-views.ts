import type { Dialect } from '../../db/dialect.ts';
import { EMPTY, type Sql, sql } from '../../db/sql.ts';
import { SHOWN_STATE, STATE } from './delivery-state.ts';

/**
 * The log views, extended by the data of the delivery engine: order, tests, resends, timings. The index finds
 * resends by their original.
 */
export function webhookLogViews(dialect: Dialect): readonly Sql[] {
  const postgres = dialect.name === 'postgres';
  const { zero, text } = wordsOf(dialect);
  return [
    sql`drop view "Webhook Request Log Attempt"`,
    sql`drop view "Webhook Request Log"`,
    sql`create ${requestLogView(dialect, BODIES)}`,
    sql`create view "Webhook Request Log Attempt" as select
      ${postgres ? sql`(d."name" || '-' || a."n"::text) collate "C"` : sql`d."name" || '-' || a."n"`} as "name",
      d."user" as "owner",
      a."started_at" as "creation", a."started_at" as "modified", d."user" as "modified_by",
      ${zero} as "docstatus", a."n" as "idx",
      d."name" as "parent", ${text(sql`'attempts'`)} as "parentfield",
      ${text(sql`'Webhook Request Log'`)} as "parenttype",
      a."n" as "attempt", a."started_at", a."duration_ms", a."dns_ms", a."connect_ms", a."tls_ms", a."ttfb_ms",
      a."response_status", a."error", a."response_headers", a."response", a."remote_ip", a."node"
      from "_webhook_attempt" a join "_webhook_delivery" d on d."id" = a."delivery"`,
    sql`create index "_webhook_delivery_resent" on "_webhook_delivery" ("manual_of") where "manual_of" is not null`,
  ];
}

/** The log view once more, with the request's method and the duration of the last attempt. */
export function webhookLogDetails(dialect: Dialect): readonly Sql[] {
  return [
    sql`drop view "Webhook Request Log"`,
    sql`create ${requestLogView(dialect, BODIES, detailsOf(BODIES))}`,
  ];
}

/** The log view over `_webhook_request`. */
export function webhookLogRequests(dialect: Dialect): readonly Sql[] {
  return [
    sql`drop view "Webhook Request Log"`,
    sql`create ${requestLogView(dialect, REQUESTS, detailsOf(REQUESTS))}`,
  ];
}

/** The log view with `recovered`: a resend has delivered the message of a delivery that was given up. */
export function webhookLogRecovered(dialect: Dialect): readonly Sql[] {
  return [
    sql`drop view "Webhook Request Log"`,
    sql`create ${requestLogView(dialect, REQUESTS, withRecovered())}`,
  ];
}

/**
 * The mark of deliveries that a restore has set aside, and the log view that shows these as held. PostgreSQL replaces
 * the view, which has the same columns, beneath servers that know nothing of the mark.
 */
export function webhookSetAside(dialect: Dialect): readonly Sql[] {
  const isPostgres = dialect.name === 'postgres';
  const view = requestLogView(dialect, REQUESTS, withRecovered(), SHOWN_STATE);
  return [
    sql`alter table "_webhook_delivery" add column "set_aside" ${isPostgres ? sql`bigint` : sql`integer`} not null default 0`,
    sql`create index "_webhook_delivery_set_aside" on "_webhook_delivery" ("webhook") where "set_aside" = 1`,
    ...(isPostgres
      ? [sql`create or replace ${view}`]
      : [sql`drop view "Webhook Request Log"`, sql`create ${view}`]),
  ];
}

function withRecovered(): Sql {
  return sql`${detailsOf(REQUESTS)}, case when ${RECOVERED} then 1 else 0 end as "recovered"`;
}

/**
 * On `_webhook_delivery d`: a later resend of the same message was delivered. The index of resends finds it.
 */
export const DELIVERED_SINCE = sql`exists (select 1 from "_webhook_delivery" m
  where m."manual_of" = coalesce(d."manual_of", d."name") and m."id" > d."id" and m."state" = ${STATE.delivered})`;

/** On `_webhook_delivery d`: given up, and delivered by a resend since. */
export const RECOVERED = sql`(d."state" = ${STATE.exhausted} and ${DELIVERED_SINCE})`;

const BODIES = sql`"_webhook_body"`;
const REQUESTS = sql`"_webhook_request"`;

function detailsOf(requests: Sql): Sql {
  return sql`, (select b."method" from ${requests} b where b."delivery" = d."id") as "request_method",
      (select a."duration_ms" from "_webhook_attempt" a where a."delivery" = d."id"
        order by a."n" desc limit 1) as "duration_ms"`;
}

// Released migrations stay unchanged: additions come in later ones.
function requestLogView(
  dialect: Dialect,
  requests: Sql,
  more: Sql = EMPTY,
  state: Sql = sql`d."state"`,
): Sql {
  const { zero, text } = wordsOf(dialect);
  return sql`view "Webhook Request Log" as select
    d."name", d."user" as "owner", d."creation", d."modified", d."user" as "modified_by",
    ${zero} as "docstatus", ${zero} as "idx",
    d."webhook", d."reference_doctype", d."reference_document", d."event", d."user",
    coalesce(d."manual_of", d."name") as "webhook_id", coalesce(d."seq", d."id") as "sequence",
    d."manual_of" as "resend_of", d."is_test", d."chain_depth",
    (select b."url" from ${requests} b where b."delivery" = d."id") as "url",
    (select b."headers" from ${requests} b where b."delivery" = d."id") as "headers",
    (select b."body" from ${requests} b where b."delivery" = d."id") as "data",
    (select a."response" from "_webhook_attempt" a where a."delivery" = d."id"
      order by a."n" desc limit 1) as "response",
    d."response_status", d."error",
    case ${state}
      when ${STATE.delivered} then ${text(sql`'Delivered'`)} when ${STATE.exhausted} then ${text(sql`'Exhausted'`)}
      when ${STATE.cancelled} then ${text(sql`'Cancelled'`)} when ${STATE.held} then ${text(sql`'Held'`)}
      else case when d."attempt" > 0 then ${text(sql`'Failed'`)} else ${text(sql`'Pending'`)} end
    end as "status",
    d."attempt", d."next_retry"${more}
    from "_webhook_delivery" d`;
}

function wordsOf({ name }: Dialect): { zero: Sql; text: (expression: Sql) => Sql } {
  return name === 'postgres'
    ? { zero: sql`0::bigint`, text: (expression) => sql`${expression}::text collate "C"` }
    : { zero: sql`0`, text: (expression) => expression };
}
