import { Sql, sql } from '../../db/sql.ts';

/**
 * The states of a delivery as the column `state` stores them. Databases hold these numbers: they never change.
 *
 * `held`: the webhook is disabled, or a setting forbids its target.
 * `parked`: an earlier delivery about the same document has not ended.
 *
 * A restore sets open deliveries aside: they are `cancelled`, with a mark of their own. See `IS_SET_ASIDE`.
 */
export const DELIVERY_STATE = {
  waiting: 0,
  leased: 1,
  delivered: 2,
  exhausted: 3,
  cancelled: 4,
  held: 5,
  parked: 6,
} as const;

const { waiting, leased, delivered, exhausted, cancelled, held, parked } = DELIVERY_STATE;

/**
 * The states as SQL text, and conditions on them. They are literals, not bound values, because partial indexes
 * cover deliveries of certain states, and SQLite uses such an index only for a condition in the same words. It
 * would build a table for each check of a list of three, so that the conditions of indexes are comparisons.
 */
export const STATE_TEXT = {
  waiting: `${waiting}`,
  leased: `${leased}`,
  delivered: `${delivered}`,
  exhausted: `${exhausted}`,
  cancelled: `${cancelled}`,
  held: `${held}`,
  parked: `${parked}`,
  /** Follows the column: will be sent, unless something intervenes. */
  live: `not between ${delivered} and ${cancelled}`,
  /** Follows the column: final states. */
  done: `between ${delivered} and ${cancelled}`,
  /** Live, but not waiting for their time. */
  aside: `("state" = ${leased} or "state" > ${cancelled})`,
  /** A set: neither ended nor leased; a change of the webhook or an administrator may cancel them. */
  idle: `(${waiting}, ${held}, ${parked})`,
} as const;

/** The same as pieces of `sql`. */
export const STATE: Readonly<Record<keyof typeof STATE_TEXT, Sql>> = {
  waiting: new Sql([{ text: STATE_TEXT.waiting }]),
  leased: new Sql([{ text: STATE_TEXT.leased }]),
  delivered: new Sql([{ text: STATE_TEXT.delivered }]),
  exhausted: new Sql([{ text: STATE_TEXT.exhausted }]),
  cancelled: new Sql([{ text: STATE_TEXT.cancelled }]),
  held: new Sql([{ text: STATE_TEXT.held }]),
  parked: new Sql([{ text: STATE_TEXT.parked }]),
  live: new Sql([{ text: STATE_TEXT.live }]),
  aside: new Sql([{ text: STATE_TEXT.aside }]),
  idle: new Sql([{ text: STATE_TEXT.idle }]),
  done: new Sql([{ text: STATE_TEXT.done }]),
};

/**
 * On `_webhook_delivery`: a restore found it open and set it aside, and nobody has resent or cancelled it since. It may
 * have been sent after the moment of the backup, so nothing but an administrator sends it. It has ended for the queue,
 * so that later deliveries about its document flow, and it is shown as held. An index finds these.
 */
export const IS_SET_ASIDE: Sql = sql`"set_aside" = 1`;

/** On `_webhook_delivery d`: the state to show. */
export const SHOWN_STATE: Sql = sql`case when d.${IS_SET_ASIDE} then ${STATE.held} else d."state" end`;

/** A table: all deliveries that wait for something, with the state to show. Each half has an index. */
export const OPEN_DELIVERIES: Sql = sql`(
  select "name", "webhook", "state", "attempt", "creation" from "_webhook_delivery" where "state" ${STATE.live}
  union all select "name", "webhook", ${STATE.held}, "attempt", "creation" from "_webhook_delivery" where ${IS_SET_ASIDE})`;

/**
 * Selects the ids of a webhook's live deliveries. Each half has an index that covers it, however long the log is.
 * A change of them asks for their state once more: PostgreSQL would not look again at one that ended meanwhile.
 */
export function liveOf(webhook: string): Sql {
  return sql`select "id" from "_webhook_delivery" where ("webhook" = ${webhook} and "state" = ${STATE.waiting})
    or ("webhook" = ${webhook} and ${STATE.aside})`;
}
