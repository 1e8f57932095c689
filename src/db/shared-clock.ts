import { type Clock, nowMillis } from '../kernel/clock.ts';
import type { Connection } from './database.ts';
import { type Sql, sql } from './sql.ts';

/** Milliseconds since the epoch. On PostgreSQL, by the database's clock, which all nodes share. */
export function sharedMillis(connection: Connection, clock: Clock): Sql {
  return connection.dialect.name === 'postgres'
    ? sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql`cast(${nowMillis(clock)} as integer)`;
}
