import type { Dialect } from '../../db/dialect.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { STATE } from './delivery-state.ts';
import { webhookLogRequests } from './log-views.ts';

/**
 * One text for all deliveries of a save that send it, and the indexes that a save writes in one place.
 *
 * `_webhook_text`: `uses` counts the rows of `_webhook_body` that name it; the row is deleted with the last.
 * `_webhook_body`: `text` names it; null where `body` is the body itself, as in all rows of before.
 * `_webhook_request` shows both alike, and all that reads a body reads it there.
 *
 * The deliveries of a save are about one document, so the index of the order begins with the document. The
 * live ones of a webhook are found by the index `ready` of waiting ones and by `aside` of all others.
 */
export function webhookSharedBodies(dialect: Dialect): readonly Sql[] {
  const postgres = dialect.name === 'postgres';
  const text = postgres ? sql`text collate "C"` : sql`text`;
  const integer = postgres ? sql`bigint` : sql`integer`;
  return [
    sql`create table "_webhook_text" (
      "id" ${text} primary key,
      "uses" ${integer} not null,
      "text" ${text} not null
    )${postgres ? sql`` : sql` strict`}`,
    sql`alter table "_webhook_body" add column "text" ${text}`,
    sql`create view "_webhook_request" as select b."delivery", b."method", b."url", b."headers",
      coalesce((select t."text" from "_webhook_text" t where t."id" = b."text"), b."body") as "body"
      from "_webhook_body" b`,
    sql`drop index "_webhook_delivery_order"`,
    sql`create index "_webhook_delivery_order" on "_webhook_delivery" ("order_key", "webhook", "id")
      where "state" ${STATE.live}`,
    sql`drop index "_webhook_delivery_done"`,
    sql`create index "_webhook_delivery_done" on "_webhook_delivery" ("done_at") where "state" ${STATE.done}`,
    sql`create index "_webhook_delivery_aside" on "_webhook_delivery" ("webhook", "id")
      where ${STATE.aside}`,
    ...webhookLogRequests(dialect),
  ];
}
