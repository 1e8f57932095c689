import { Sql } from '../../db/sql.ts';

/**
 * The states of a delivery as the column `state` stores them. Databases hold these numbers: they never change.
 *
 * `held`: the webhook is disabled, or a setting forbids its target.
 * `parked`: an earlier delivery about the same document has not ended.
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
 * The states, and three sets of them, as SQL text. They are literals, not bound values, because partial
 * indexes cover deliveries of certain states.
 */
export const STATE_TEXT = {
  waiting: `${waiting}`,
  leased: `${leased}`,
  delivered: `${delivered}`,
  exhausted: `${exhausted}`,
  cancelled: `${cancelled}`,
  held: `${held}`,
  parked: `${parked}`,
  /** Will be sent, unless something intervenes. */
  live: `(${waiting}, ${leased}, ${held}, ${parked})`,
  /** Neither ended nor leased: a change of the webhook or an administrator may cancel them. */
  idle: `(${waiting}, ${held}, ${parked})`,
  /** Final states. */
  done: `(${delivered}, ${exhausted}, ${cancelled})`,
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
  idle: new Sql([{ text: STATE_TEXT.idle }]),
  done: new Sql([{ text: STATE_TEXT.done }]),
};
