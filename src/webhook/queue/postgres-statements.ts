import { ATTEMPT_COLUMNS, DELIVERY_COLUMNS } from './columns.ts';
import { STATE_TEXT } from './delivery-state.ts';

// The database's clock, which all nodes share. As a subquery it is evaluated once and can bound an index
// scan.
const NOW = `(select cast(extract(epoch from statement_timestamp()) * 1000 as bigint))`;
const LIVE = `"state" ${STATE_TEXT.live}`;
// The offset keeps the planner from turning this into a join. Without statistics on the table, that join
// compares each delivery with all others of its webhook.
const PRECEDED = (
  row: string,
) => `exists (select 1 from "_webhook_delivery" p where p."webhook" = ${row}."webhook"
  and p."order_key" = ${row}."order_key" and p."id" < ${row}."id" and p.${LIVE} offset 0)`;
const FREE = `"state" = ${STATE_TEXT.waiting}, "owner" = null, "lease_until" = null`;
const SUSPECTED = `json_to_recordset($1) as s("id" bigint, "epoch" bigint, "suspect" bigint)`;
const SETTLED = `"id" bigint, "epoch" bigint, "outcome" text, "delay" bigint, "next_retry" timestamp(6),
  "modified" timestamp(6), "n" bigint, "started_at" timestamp(6), "duration_ms" bigint, "response_status" bigint,
  "error" text, "response" text, "remote_ip" text, "node" text, "dns_ms" bigint, "connect_ms" bigint, "tls_ms" bigint,
  "ttfb_ms" bigint, "response_headers" text`;

/** `slotOf` of a delivery's order key: the same number as in `Homes`. */
const SLOT = (row: string) => `get_byte(sha256(convert_to(${row}."order_key", 'UTF8')), 0)`;

/** quotas with the share of this process, node. The arrays make the planner look rows up by key, however many wait. */
const TAKE = (
  condition: string,
) => `with q as (select * from json_to_recordset($1) as q("webhook" text collate "C", "limit" bigint, "of" bigint, "place" bigint)),
  c as materialized (select x."id" from q cross join lateral (
    select d."id" from "_webhook_delivery" d
    where d."webhook" = q."webhook" and ${condition} and d."due_at" <= ${NOW}
    and (q."of" = 1 or ${SLOT('d')} % q."of" = q."place") and not ${PRECEDED('d')}
    and exists (select 1 from "Webhook" w where w."name" = q."webhook" and w."enabled" = 1)
    order by d."due_at", d."id" limit q."limit" for update of d skip locked) x),
  d as (update "_webhook_delivery" set "state" = ${STATE_TEXT.leased}, "owner" = $2,
    "epoch" = "epoch" + 1
    where "id" = any(array(select "id" from c))
    returning *)
  select d."due_at", ${DELIVERY_COLUMNS} from d join "_webhook_request" b on b."delivery" = d."id"`;

/**
 * In `pulse`: $4 milliseconds without a heartbeat; $5 a period in milliseconds, and $6 the number of deaths in it from
 * which suspects are isolated; $7 the delays by number of deaths. A lease does not tell whether its delivery was in
 * flight, so only marked deliveries become suspect. One process at a time does this. This one lives, although its
 * heartbeat may be old.
 */
const RECLAIM = `update "_webhook_delivery" set ${FREE},
      "suspect" = case when "suspect" = 0 and (select count(*) from "_webhook_node" n where n."node" <> $1
        and n."seen_at" <= ${NOW} - cast($4 as bigint) and n."seen_at" > ${NOW} - cast($5 as bigint)) >= cast($6 as bigint)
        then -1 else "suspect" end,
      "due_at" = case when "suspect" <= 0 then "due_at"
        else greatest("due_at", ${NOW} + coalesce(cast(cast($7 as json) ->> cast("suspect" as int) as bigint), 0)) end
    where "state" = ${STATE_TEXT.leased} and ("lease_until" < ${NOW} or "owner" <> $1 and not exists (select 1
      from "_webhook_node" n where n."node" = "_webhook_delivery"."owner" and n."seen_at" > ${NOW} - cast($4 as bigint)))
      and (select pg_try_advisory_xact_lock(hashtext(current_schema() || ' chancery reclaim')))`;

/**
 * Holds the waiting deliveries of disabled webhooks. The lock makes a transaction that enables a webhook wait, so
 * that it finds the deliveries held here; otherwise they could stay held for ever. Locked webhooks are handled by the
 * next call.
 */
const HOLD = (
  webhooks: string,
) => `with w as materialized (select w."name" from "Webhook" w where w."enabled" = 0
      and (${webhooks} is null or w."name" in (select value collate "C" from json_array_elements_text(${webhooks})))
      and exists (select 1 from "_webhook_delivery" d where d."webhook" = w."name" and d."state" = ${STATE_TEXT.waiting})
      for share of w skip locked)
    update "_webhook_delivery" d set "state" = ${STATE_TEXT.held}, "next_retry" = null from w
    where d."webhook" = w."name" and d."state" = ${STATE_TEXT.waiting}`;

/**
 * Statements of the queue on PostgreSQL, with their values in order. A list is passed as one JSON text, so
 * that its length does not change the statement.
 */
export const POSTGRES = {
  /**
   * The second's work of a process, in one round trip: node, milliseconds after which a process gets no new work,
   * those of a clock that was set back, then the values of `RECLAIM`, and the webhooks with a fast receiver as JSON.
   * Writes the heartbeat and returns the leases of
   * dead processes. Tells the live processes as they were before, whether deliveries wait or are leased here, and
   * when the health of a receiver last changed. A heartbeat in the future shows that the database's clock was set
   * back. It stays until `bringForward` has read it.
   */
  pulse: `with b as (insert into "_webhook_node" as n ("node", "seen_at", "fast") values ($1, ${NOW}, $8)
      on conflict ("node") do update set "seen_at" = excluded."seen_at",
        "fast" = case when n."fast" = excluded."fast" then n."fast" else excluded."fast" end
      where n."seen_at" <= excluded."seen_at" + cast($3 as bigint)),
    r as (${RECLAIM})
    select (select json_agg(json_build_object('node', n."node", 'ahead', n."seen_at" - ${NOW},
        'fast', cast(n."fast" as json)))
        from "_webhook_node" n where n."seen_at" > ${NOW} - cast($2 as bigint)) as "nodes",
      case when exists (select 1 from "_webhook_delivery" where "state" = ${STATE_TEXT.waiting}) then 1 else 0 end
        as "waiting",
      case when exists (select 1 from "_webhook_delivery" where "state" = ${STATE_TEXT.leased} and "owner" = $1)
        then 1 else 0 end as "leases",
      (select max("modified_at") from "_webhook_endpoint") as "health_at"`,
  /** Milliseconds. Only one process does this: the next one finds no heartbeat in the future. */
  bringForward: `with b as (select max("seen_at") - ${NOW} as "back" from "_webhook_node"),
    f as (update "_webhook_node" n set "seen_at" = n."seen_at" - b."back" from b
      where n."seen_at" > ${NOW} + cast($1 as bigint) returning b."back")
    update "_webhook_delivery" d set "due_at" = greatest(${NOW}, d."due_at" - m."back")
    from (select max("back") as "back" from f) m where m."back" > 0
      and d."state" in (${STATE_TEXT.waiting}, ${STATE_TEXT.parked}) and d."due_at" > ${NOW}`,
  /**
   * Node; milliseconds after which a process gets no new work. The leases of the process outlast that, so that nobody
   * else sends what it has in flight.
   */
  retire: `update "_webhook_node" set "seen_at" = least("seen_at", ${NOW} - cast($2 as bigint)) where "node" = $1`,
  /** node */
  leave: `delete from "_webhook_node" where "node" = $1`,
  /**
   * Skips through the index of waiting rows, webhook by webhook (loose index scan). This index has the order
   * in which the rows are wanted.
   */
  waiting: `with recursive "w" ("webhook") as (
      (select d."webhook" from "_webhook_delivery" d where d."state" = ${STATE_TEXT.waiting}
        order by d."webhook", d."due_at", d."id" limit 1)
      union all
      select (select d."webhook" from "_webhook_delivery" d where d."state" = ${STATE_TEXT.waiting}
        and d."webhook" > "w"."webhook"
        order by d."webhook", d."due_at", d."id" limit 1)
      from "w" where "w"."webhook" is not null)
    select "w"."webhook", (select min(d."due_at") from "_webhook_delivery" d
      where d."state" = ${STATE_TEXT.waiting} and d."webhook" = "w"."webhook") - ${NOW} as "due_in"
    from "w" where "w"."webhook" is not null`,
  take: TAKE(`d."state" = ${STATE_TEXT.waiting}`),
  /** The same for deliveries without an attempt. */
  takeFirst: TAKE(`d."state" = ${STATE_TEXT.waiting} and d."attempt" = 0`),
  /** settlements */
  settle: `with s as (select * from json_to_recordset($1) as s(${SETTLED})),
    u as (update "_webhook_delivery" d set
      "state" = case s."outcome" when 'delivered' then ${STATE_TEXT.delivered}
        when 'exhausted' then ${STATE_TEXT.exhausted} when 'held' then ${STATE_TEXT.held} else ${STATE_TEXT.waiting} end,
      "attempt" = d."attempt" + case when s."outcome" in ('refunded', 'held') then 0 else 1 end,
      "due_at" = ${NOW} + s."delay",
      "response_status" = case when s."outcome" in ('refunded', 'held') then d."response_status" else s."response_status" end,
      "error" = case s."outcome" when 'refunded' then d."error" else s."error" end,
      "modified" = s."modified", "next_retry" = s."next_retry",
      "done_at" = case when s."outcome" in ('delivered', 'exhausted') then ${NOW} end,
      "suspect" = 0, "owner" = null, "lease_until" = null
      from s where d."id" = s."id" and d."epoch" = s."epoch" and d."state" = ${STATE_TEXT.leased}
      returning d."id", d."webhook", d."order_key", s."outcome"),
    a as (insert into "_webhook_attempt" (${ATTEMPT_COLUMNS.map((name) => `"${name}"`).join(', ')})
      select ${ATTEMPT_COLUMNS.map((name) => (name === 'delivery' ? `s."id"` : `s."${name}"`)).join(', ')}
      from s join u on u."id" = s."id" where s."outcome" not in ('refunded', 'held'))
    select u."webhook", u."order_key" from u where u."outcome" in ('delivered', 'exhausted')`,
  /**
   * Promotes documents whose first delivery may have ended. Skips locked rows: whoever locks them promotes
   * them.
   */
  promote: `with f as materialized (select d."id" from "_webhook_delivery" d
      where exists (select 1 from "_webhook_delivery" x where x."state" = ${STATE_TEXT.parked}) and d."state" = ${STATE_TEXT.parked}
      and d."id" = any(array(
        select (select f."id" from "_webhook_delivery" f where f."webhook" = k."webhook" and f."order_key" = k."order_key"
          and f.${LIVE} order by f."id" limit 1)
        from json_to_recordset($1) as k("webhook" text collate "C", "order_key" text collate "C")))
      for update of d skip locked)
    update "_webhook_delivery" set "state" = ${STATE_TEXT.waiting}, "due_at" = greatest("due_at", ${NOW})
    where "id" = any(array(select "id" from f)) returning "webhook", "order_key"`,
  /** deliveries by id and epoch, with the count of deaths to record for them */
  mark: `update "_webhook_delivery" d set "suspect" = s."suspect" from ${SUSPECTED}
    where d."id" = s."id" and d."epoch" = s."epoch" and d."state" = ${STATE_TEXT.leased} returning d."id"`,
  /** deliveries by id and epoch, with the count of deaths before */
  release: `update "_webhook_delivery" d set ${FREE}, "suspect" = s."suspect" from ${SUSPECTED}
    where d."id" = s."id" and d."epoch" = s."epoch" and d."state" = ${STATE_TEXT.leased}`,
  /** A row that the lock skips is being enabled or disabled, and that change handles its deliveries. */
  resume: `with w as materialized (select w."name" from "Webhook" w where w."enabled" = 1
      and exists (select 1 from "_webhook_delivery" d where d."webhook" = w."name" and d."state" = ${STATE_TEXT.held})
      for share of w skip locked)
    update "_webhook_delivery" d set "state" = ${STATE_TEXT.waiting}, "due_at" = ${NOW} from w
    where d."webhook" = w."name" and d."state" = ${STATE_TEXT.held}`,
  /** node */
  releaseAll: `update "_webhook_delivery" set ${FREE} where "state" = ${STATE_TEXT.leased} and "owner" = $1`,
  /** Webhooks as JSON, or null for all. */
  hold: HOLD('$1::json'),
  /** node, ids: what the node has leased and does not know of */
  strays: `select d."id", d."epoch", d."suspect" from "_webhook_delivery" d
    where d."state" = ${STATE_TEXT.leased} and d."owner" = $1
      and d."id" <> all(array(select cast(value as bigint) from json_array_elements_text(cast($2 as json))))`,
  /**
   * Milliseconds. What errors and crashes may have left: deliveries of a webhook that was being disabled while one
   * of them was released, deliveries whose predecessor ended unnoticed, and processes that have ended long ago.
   */
  sweep: `with h as (${HOLD('null::json')}),
    n as (delete from "_webhook_node" where "seen_at" < ${NOW} - cast($1 as bigint))
    update "_webhook_delivery" set "state" = ${STATE_TEXT.waiting}, "due_at" = ${NOW}
    where "state" = ${STATE_TEXT.parked} and not ${PRECEDED('"_webhook_delivery"')}`,
} as const;
