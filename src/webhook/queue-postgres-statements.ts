import { ATTEMPT_COLUMNS, DELIVERY_COLUMNS } from './queue-columns.ts';

// The database's clock, which all nodes share. A subquery is evaluated once and can bound a search of an index.
const NOW = `(select cast(extract(epoch from statement_timestamp()) * 1000 as bigint))`;
const LIVE = `"state" in (0, 1, 5, 6)`;
// The offset keeps this from becoming a join, which the planner gets wrong where it knows nothing of the table yet: it then compares
// each with all of its webhook.
const PRECEDED = (
  row: string,
) => `exists (select 1 from "_webhook_delivery" p where p."webhook" = ${row}."webhook"
  and p."order_key" = ${row}."order_key" and p."id" < ${row}."id" and p.${LIVE} offset 0)`;
const FREE = `"state" = 0, "owner" = null, "lease_until" = null`;
const SUSPECTED = `json_to_recordset($1) as s("id" bigint, "epoch" bigint, "suspect" bigint)`;
const SETTLED = `"id" bigint, "epoch" bigint, "outcome" text, "delay" bigint, "next_retry" timestamp(6),
  "modified" timestamp(6), "n" bigint, "started_at" timestamp(6), "duration_ms" bigint, "response_status" bigint,
  "error" text, "response" text, "remote_ip" text, "node" text, "dns_ms" bigint, "connect_ms" bigint, "tls_ms" bigint,
  "ttfb_ms" bigint, "response_headers" text`;

/** quotas, node, lease. The arrays have the planner look rows up by key, however many wait. */
const TAKE = (
  condition: string,
) => `with q as (select * from json_to_recordset($1) as q("webhook" text collate "C", "limit" bigint)),
  c as materialized (select x."id" from q cross join lateral (
    select d."id" from "_webhook_delivery" d
    where d."webhook" = q."webhook" and ${condition} and d."due_at" <= ${NOW} and not ${PRECEDED('d')}
    and exists (select 1 from "Webhook" w where w."name" = q."webhook" and w."enabled" = 1)
    order by d."due_at", d."id" limit q."limit" for update of d skip locked) x),
  d as (update "_webhook_delivery" set "state" = 1, "owner" = $2, "lease_until" = ${NOW} + cast($3 as bigint),
    "epoch" = "epoch" + 1
    where "id" = any(array(select "id" from c))
    returning *)
  select d."due_at", ${DELIVERY_COLUMNS} from d join "_webhook_body" b on b."delivery" = d."id"`;

/** Statements of the queue on PostgreSQL, with the values each takes, in order. Lists are JSON: one text for every length. */
export const POSTGRES = {
  /** node */
  beat: `insert into "_webhook_node" ("node", "seen_at") values ($1, ${NOW})
    on conflict ("node") do update set "seen_at" = excluded."seen_at"`,
  /** Milliseconds. A process that was seen later than it is now: the database's clock was set back. */
  nodes: `select "node", "seen_at" - ${NOW} as "ahead" from "_webhook_node" where "seen_at" > ${NOW} - cast($1 as bigint)`,
  /** Milliseconds. Once for all processes: the second to come finds nobody who was seen later than now. */
  bringForward: `with b as (select max("seen_at") - ${NOW} as "back" from "_webhook_node"),
    f as (update "_webhook_node" n set "seen_at" = n."seen_at" - b."back" from b
      where n."seen_at" > ${NOW} + cast($1 as bigint) returning b."back")
    update "_webhook_delivery" d set "due_at" = greatest(${NOW}, d."due_at" - m."back")
    from (select max("back") as "back" from f) m where m."back" > 0 and d."state" in (0, 6) and d."due_at" > ${NOW}`,
  /** milliseconds */
  forgetNodes: `delete from "_webhook_node" where "seen_at" < ${NOW} - cast($1 as bigint)`,
  /** node */
  leave: `delete from "_webhook_node" where "node" = $1`,
  /** Skips through the index of waiting rows, webhook by webhook. It is the one in whose whole order the rows are wanted. */
  waiting: `with recursive "w" ("webhook") as (
      (select d."webhook" from "_webhook_delivery" d where d."state" = 0
        order by d."webhook", d."due_at", d."id" limit 1)
      union all
      select (select d."webhook" from "_webhook_delivery" d where d."state" = 0 and d."webhook" > "w"."webhook"
        order by d."webhook", d."due_at", d."id" limit 1)
      from "w" where "w"."webhook" is not null)
    select "w"."webhook", (select min(d."due_at") from "_webhook_delivery" d
      where d."state" = 0 and d."webhook" = "w"."webhook") - ${NOW} as "due_in"
    from "w" where "w"."webhook" is not null`,
  take: TAKE('d."state" = 0'),
  /** The same of those that were never tried. */
  takeFirst: TAKE('d."state" = 0 and d."attempt" = 0'),
  /** settlements */
  settle: `with s as (select * from json_to_recordset($1) as s(${SETTLED})),
    u as (update "_webhook_delivery" d set
      "state" = case s."outcome" when 'delivered' then 2 when 'exhausted' then 3 when 'held' then 5 else 0 end,
      "attempt" = d."attempt" + case when s."outcome" in ('refunded', 'held') then 0 else 1 end,
      "due_at" = ${NOW} + s."delay",
      "response_status" = case when s."outcome" in ('refunded', 'held') then d."response_status" else s."response_status" end,
      "error" = case s."outcome" when 'refunded' then d."error" else s."error" end,
      "modified" = s."modified", "next_retry" = s."next_retry",
      "done_at" = case when s."outcome" in ('delivered', 'exhausted') then ${NOW} end,
      "suspect" = 0, "owner" = null, "lease_until" = null
      from s where d."id" = s."id" and d."epoch" = s."epoch" and d."state" = 1
      returning d."id", d."webhook", d."order_key", s."outcome"),
    a as (insert into "_webhook_attempt" (${ATTEMPT_COLUMNS.map((name) => `"${name}"`).join(', ')})
      select ${ATTEMPT_COLUMNS.map((name) => (name === 'delivery' ? `s."id"` : `s."${name}"`)).join(', ')}
      from s join u on u."id" = s."id" where s."outcome" not in ('refunded', 'held'))
    select u."webhook", u."order_key" from u where u."outcome" in ('delivered', 'exhausted')`,
  /** Documents whose head may be through. What somebody else changes at the moment is theirs: nobody waits for one another here. */
  promote: `with f as materialized (select d."id" from "_webhook_delivery" d
      where exists (select 1 from "_webhook_delivery" x where x."state" = 6) and d."state" = 6 and d."id" = any(array(
        select (select f."id" from "_webhook_delivery" f where f."webhook" = k."webhook" and f."order_key" = k."order_key"
          and f.${LIVE} order by f."id" limit 1)
        from json_to_recordset($1) as k("webhook" text collate "C", "order_key" text collate "C")))
      for update of d skip locked)
    update "_webhook_delivery" set "state" = 0, "due_at" = greatest("due_at", ${NOW})
    where "id" = any(array(select "id" from f)) returning "webhook"`,
  /** deliveries by id and epoch, with the deaths that they will have been under way at */
  mark: `update "_webhook_delivery" d set "suspect" = s."suspect" from ${SUSPECTED}
    where d."id" = s."id" and d."epoch" = s."epoch" and d."state" = 1 returning d."id"`,
  /** deliveries by id and epoch, with the deaths that they were under way at */
  release: `update "_webhook_delivery" d set ${FREE}, "suspect" = s."suspect" from ${SUSPECTED}
    where d."id" = s."id" and d."epoch" = s."epoch" and d."state" = 1`,
  /** What the lock passes over is being enabled or disabled, and follows from that. */
  resume: `with w as materialized (select w."name" from "Webhook" w where w."enabled" = 1
      and exists (select 1 from "_webhook_delivery" d where d."webhook" = w."name" and d."state" = 5)
      for share of w skip locked)
    update "_webhook_delivery" d set "state" = 0, "due_at" = ${NOW} from w
    where d."webhook" = w."name" and d."state" = 5`,
  /** node */
  releaseAll: `update "_webhook_delivery" set ${FREE} where "state" = 1 and "owner" = $1`,
  /**
   * Milliseconds without a sign of life; milliseconds and so many deaths in them, after which care is taken; how long to let alone, by
   * deaths. A lease does not tell whether its delivery had begun, so without a mark none comes under suspicion.
   */
  reclaim: `update "_webhook_delivery" set ${FREE},
      "suspect" = case when "suspect" = 0 and (select count(*) from "_webhook_node" n where n."seen_at" <= ${NOW} - cast($1 as bigint)
        and n."seen_at" > ${NOW} - cast($2 as bigint)) >= cast($3 as bigint) then -1 else "suspect" end,
      "due_at" = case when "suspect" <= 0 then "due_at"
        else greatest("due_at", ${NOW} + coalesce(cast(cast($4 as json) ->> cast("suspect" as int) as bigint), 0)) end
    where "state" = 1 and ("lease_until" < ${NOW} or not exists (select 1 from "_webhook_node" n
      where n."node" = "_webhook_delivery"."owner" and n."seen_at" > ${NOW} - cast($1 as bigint)))`,
  /**
   * webhooks as JSON, or null: all. What waits for a disabled webhook is held. The lock has whoever enables it wait, and then find
   * what is held here: without it a delivery could be held for ever. Those that somebody changes have their turn the next time.
   */
  hold: `with w as materialized (select w."name" from "Webhook" w where w."enabled" = 0
      and ($1::json is null or w."name" in (select value collate "C" from json_array_elements_text($1::json)))
      and exists (select 1 from "_webhook_delivery" d where d."webhook" = w."name" and d."state" = 0)
      for share of w skip locked)
    update "_webhook_delivery" d set "state" = 5, "next_retry" = null from w
    where d."webhook" = w."name" and d."state" = 0`,
  promoteStranded: `update "_webhook_delivery" set "state" = 0, "due_at" = ${NOW}
    where "state" = 6 and not ${PRECEDED('"_webhook_delivery"')}`,
} as const;
