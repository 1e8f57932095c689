import { ATTEMPT_COLUMNS, DELIVERY_COLUMNS } from './columns.ts';
import { STATE_TEXT } from './delivery-state.ts';

const LIVE = `"state" ${STATE_TEXT.live}`;
// If the webhook was disabled meanwhile, a retry or the next delivery is held.
const WAITING_STATE = `case when exists (select 1 from "Webhook" w
  where w."name" = "_webhook_delivery"."webhook" and w."enabled" = 1)
  then ${STATE_TEXT.waiting} else ${STATE_TEXT.held} end`;

/**
 * Webhooks as JSON, now, ids to leave out as JSON, limit per webhook. One statement for all webhooks: one
 * each would cost more than the rows. The cross joins fix the order of the tables: with bodies first, all of
 * this would run for each body.
 */
const READY = (
  condition: string,
) => `select ${DELIVERY_COLUMNS} from json_each(?) cross join "Webhook" w on w."name" = json_each."value" and w."enabled" = 1
  cross join "_webhook_delivery" d on d."id" in (select x."id" from "_webhook_delivery" x where x."webhook" = w."name"
    and ${condition} and x."due_at" <= ? and x."id" not in (select "value" from json_each(?))
    order by x."due_at", x."id" limit ?)
  cross join "_webhook_request" b on b."delivery" = d."id"
  order by d."due_at", d."id"`;

/**
 * Statements of the queue on SQLite, with their values in order. Kept as text, because they run for every
 * delivery.
 */
export const SQLITE = {
  /** since */
  countDeaths: `select count(*) as "count" from "_webhook_start" where "started_at" > ? and "stopped_at" is null`,
  /** before */
  forgetStarts: `delete from "_webhook_start" where "started_at" < ?
    and "rowid" < (select max("rowid") from "_webhook_start")`,
  /** node, now */
  start: `insert into "_webhook_start" ("node", "started_at") values (?, ?)`,
  /** now, node */
  stop: `update "_webhook_start" set "stopped_at" = ? where "node" = ?`,
  owner: `select "node" from "_webhook_start" order by "rowid" desc limit 1`,
  /** now */
  promoteStranded: `update "_webhook_delivery" set "state" = ${WAITING_STATE}, "due_at" = ?
    where "state" = ${STATE_TEXT.parked}
    and not exists (select 1 from "_webhook_delivery" p where p."webhook" = "_webhook_delivery"."webhook"
      and p."order_key" = "_webhook_delivery"."order_key" and p."id" < "_webhook_delivery"."id" and p.${LIVE})`,
  lastId: `select max("id") as "id" from "_webhook_delivery"`,
  /** Skips through the index of waiting rows, webhook by webhook (loose index scan). */
  waiting: `with recursive "rows" ("webhook") as (
      select min(d."webhook") from "_webhook_delivery" d where d."state" = ${STATE_TEXT.waiting}
      union all
      select (select min(d."webhook") from "_webhook_delivery" d where d."state" = ${STATE_TEXT.waiting}
        and d."webhook" > "rows"."webhook")
      from "rows" where "rows"."webhook" is not null)
    select "rows"."webhook", (select min(d."due_at") from "_webhook_delivery" d
      where d."state" = ${STATE_TEXT.waiting} and d."webhook" = "rows"."webhook") as "due_at"
    from "rows" where "rows"."webhook" is not null`,
  ready: READY(`x."state" = ${STATE_TEXT.waiting}`),
  /** The same for deliveries without an attempt. */
  readyFirst: READY(`x."state" = ${STATE_TEXT.waiting} and x."attempt" = 0`),
  /** deaths, id */
  mark: `update "_webhook_delivery" set "suspect" = ? where "id" = ?`,
  /** now; delays of suspects by number of deaths, as JSON */
  calm: `update "_webhook_delivery" set "due_at" = max("due_at", ? + coalesce(? ->> "suspect", 0))
    where "state" = ${STATE_TEXT.waiting} and "suspect" > 0`,
  /** now, milliseconds, now */
  bringForward: `update "_webhook_delivery" set "due_at" = max(?, "due_at" - ?)
    where "state" in (${STATE_TEXT.waiting}, ${STATE_TEXT.parked}) and "due_at" > ?`,
  /** node, now */
  seen: `insert into "_webhook_node" ("node", "seen_at") values (?, ?)
    on conflict ("node") do update set "seen_at" = excluded."seen_at"`,
  /** node */
  forgetNodes: `delete from "_webhook_node" where "node" <> ?`,
  /**
   * The times that the last process recorded, and the name of the newest delivery, which begins with its
   * time.
   */
  lastSeen: `select s."started_at", s."stopped_at", n."seen_at",
    (select d."name" from "_webhook_delivery" d order by d."id" desc limit 1) as "newest"
    from "_webhook_start" s left join "_webhook_node" n on n."node" = s."node" order by s."rowid" desc limit 1`,
  /** status, modified, now, ids as JSON */
  delivered: `update "_webhook_delivery" set "state" = ${STATE_TEXT.delivered},
    "attempt" = "attempt" + 1, "response_status" = ?,
    "error" = null, "modified" = ?, "next_retry" = null, "done_at" = ?, "suspect" = 0
    where "id" in (select "value" from json_each(?))
      and "state" in (${STATE_TEXT.waiting}, ${STATE_TEXT.held}) returning "id"`,
  /** status, error, modified, due, next retry, id */
  retry: `update "_webhook_delivery" set "state" = ${WAITING_STATE}, "attempt" = "attempt" + 1, "response_status" = ?,
    "error" = ?, "modified" = ?, "due_at" = ?, "next_retry" = ?, "suspect" = 0
    where "id" = ? and "state" in (${STATE_TEXT.waiting}, ${STATE_TEXT.held})`,
  /** status, error, modified, now, id */
  exhausted: `update "_webhook_delivery" set "state" = ${STATE_TEXT.exhausted},
    "attempt" = "attempt" + 1, "response_status" = ?,
    "error" = ?, "modified" = ?, "done_at" = ?, "next_retry" = null, "suspect" = 0
    where "id" = ? and "state" in (${STATE_TEXT.waiting}, ${STATE_TEXT.held})`,
  /** error, modified, id */
  held: `update "_webhook_delivery" set "state" = ${STATE_TEXT.held}, "error" = ?,
    "modified" = ?, "next_retry" = null, "suspect" = 0
    where "id" = ? and "state" in (${STATE_TEXT.waiting}, ${STATE_TEXT.held})`,
  /** now */
  resume: `update "_webhook_delivery" set "state" = ${STATE_TEXT.waiting}, "due_at" = ?
    where ${STATE_TEXT.aside} and "state" = ${STATE_TEXT.held}
    and "webhook" in (select w."name" from "Webhook" w where w."enabled" = 1)`,
  /** due, next retry, id */
  refunded: `update "_webhook_delivery" set "due_at" = ?, "next_retry" = ?, "suspect" = 0
    where "id" = ? and "state" in (${STATE_TEXT.waiting}, ${STATE_TEXT.held})`,
  attempt: `insert into "_webhook_attempt" (${ATTEMPT_COLUMNS.map((name) => `"${name}"`).join(', ')})
    values (${ATTEMPT_COLUMNS.map(() => '?').join(', ')})`,
  anyParked: `select 1 as "parked" from "_webhook_delivery" where "state" = ${STATE_TEXT.parked} limit 1`,
  /** now, webhook, order key */
  promote: `update "_webhook_delivery" set "state" = ${WAITING_STATE}, "due_at" = max("due_at", ?)
    where "state" = ${STATE_TEXT.parked} and "id" =
    (select f."id" from "_webhook_delivery" f where f."webhook" = ? and f."order_key" = ? and f.${LIVE}
      order by f."id" limit 1)`,
} as const;
