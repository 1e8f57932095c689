import type { Connection } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { STATE } from './delivery-state.ts';

/** Now, in milliseconds since the epoch and as a stored timestamp. */
export interface RestoredAt {
  readonly millis: number;
  readonly timestamp: string;
}

/**
 * Sets all open deliveries of a restored database aside, since they may have been sent after its moment: see
 * `IS_SET_ASIDE`. Tests are cancelled. Resolves to the number set aside.
 */
export async function setDeliveriesAside(connection: Connection, at: RestoredAt): Promise<number> {
  const ended = sql`"state" = ${STATE.cancelled}, "done_at" = ${at.millis}, "modified" = ${at.timestamp},
    "next_retry" = null, "owner" = null, "lease_until" = null`;
  await connection.run(
    sql`update "_webhook_delivery" set ${ended}, "error" = 'cancelled: a test before a restore'
        where "state" ${STATE.live} and "is_test" = 1`,
  );
  return connection.run(
    sql`update "_webhook_delivery" set ${ended}, "set_aside" = 1,
          "error" = 'set aside by a restore: it may have been sent before'
        where "state" ${STATE.live}`,
  );
}

/** The highest number that a delivery has had; receivers know it as `webhook-sequence`. */
export async function highestDelivery(connection: Connection): Promise<number> {
  const row = await connection.get(
    connection.dialect.name === 'postgres'
      ? sql`select coalesce(pg_sequence_last_value(${sequenceOf(connection)}::regclass), 0) as "number"`
      : sql`select coalesce((select "seq" from "sqlite_sequence" where "name" = '_webhook_delivery'), 0) as "number"`,
  );
  return Number(row?.['number'] ?? 0);
}

/** Lets the next delivery have a number after this one. */
export async function countDeliveriesFrom(connection: Connection, number: number): Promise<void> {
  if (number === 0) return;
  if (connection.dialect.name === 'postgres') {
    await connection.get(sql`select setval(${sequenceOf(connection)}::regclass, ${number}) as "number"`);
    return;
  }
  const named = sql`"name" = '_webhook_delivery'`;
  await connection.run(sql`delete from "sqlite_sequence" where ${named}`);
  await connection.run(
    sql`insert into "sqlite_sequence" ("name", "seq") values ('_webhook_delivery', ${number})`,
  );
}

function sequenceOf({ dialect }: Connection) {
  return sql`pg_get_serial_sequence(quote_ident(${dialect.schema}::text) || '._webhook_delivery', 'id')`;
}
