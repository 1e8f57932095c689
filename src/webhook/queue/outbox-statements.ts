import { STATE_TEXT } from './delivery-state.ts';

const COLUMNS = `"name", "webhook", "event", "reference_doctype", "reference_document", "user", "order_key", "state",
  "due_at", "error", "creation", "modified", "done_at", "seq", "manual_of", "origin", "chain_depth", "is_test"`;
const BODY = '"delivery", "method", "url", "headers", "body", "text"';
const UNDELIVERED = `"state" ${STATE_TEXT.live}`;
const NOW = 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)';

/** Statements that store deliveries. Kept as text, because they run with every save that has a webhook. */
export const OUTBOX = {
  /**
   * Values in the order of the columns. The state takes three: a state or null, then webhook and order key,
   * by which it is looked up.
   */
  sqliteDelivery: `insert into "_webhook_delivery" (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?,
    coalesce(?, case when exists (select 1 from "_webhook_delivery" p where p."webhook" = ? and p."order_key" = ?
      and p.${UNDELIVERED}) then ${STATE_TEXT.parked} else ${STATE_TEXT.waiting} end),
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  /** method, url, headers, body, text; of the delivery stored just before */
  sqliteBody: `insert into "_webhook_body" (${BODY}) values (last_insert_rowid(), ?, ?, ?, ?, ?)`,
  /** id, uses, text */
  sqliteText: `insert into "_webhook_text" ("id", "uses", "text") values (?, ?, ?)`,
  /**
   * Takes deliveries and texts as JSON; returns webhook and order key of the parked ones. The offset makes the planner
   * look up each document; without it, it would scan all waiting deliveries.
   */
  postgres: `with j as materialized (select * from json_to_recordset($1) as j(
      "name" text collate "C", "webhook" text collate "C", "event" text, "reference_doctype" text,
      "reference_document" text, "user" text, "order_key" text collate "C", "failure" text, "creation" timestamp(6),
      "state" bigint, "delay" bigint, "seq" bigint, "manual_of" text, "origin" text, "chain_depth" bigint, "is_test" bigint,
      "method" text, "url" text, "headers" text, "body" text, "text" text)),
    t as (insert into "_webhook_text" ("id", "uses", "text")
      select * from json_to_recordset($2) as t("id" text, "uses" bigint, "text" text)),
    d as (insert into "_webhook_delivery" (${COLUMNS})
      select j."name", j."webhook", j."event", j."reference_doctype", j."reference_document", j."user", j."order_key",
        case when j."state" is not null then j."state"
          when exists (select 1 from "_webhook_delivery" p where p."webhook" = j."webhook"
            and p."order_key" = j."order_key" and p.${UNDELIVERED} offset 0) then ${STATE_TEXT.parked} else ${STATE_TEXT.waiting} end,
        ${NOW} + j."delay", j."failure", j."creation", j."creation", case when j."state" is not null then ${NOW} end,
        j."seq", j."manual_of", j."origin", j."chain_depth", j."is_test" from j
      returning "id", "name", "webhook", "order_key", "state"),
    b as (insert into "_webhook_body" (${BODY})
      select d."id", j."method", j."url", j."headers", j."body", j."text" from d join j on j."name" = d."name")
    select d."webhook", d."order_key" from d where d."state" = ${STATE_TEXT.parked}`,
} as const;
