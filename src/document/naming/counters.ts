import type { Connection } from '../../db/database.ts';
import { describeTable } from '../../db/describe.ts';
import { ident, sql } from '../../db/sql.ts';
import { NAMING_RULE } from './naming-rules.ts';
import { raiseCounter } from './series.ts';

/** The last numbers of a site's counters. */
export interface Counters {
  /** By the text before the number, or `autoincrement <doctype>`. */
  readonly series: ReadonlyMap<string, number>;
  /** By the name of a Document Naming Rule. */
  readonly rules: ReadonlyMap<string, number>;
}

/** All counters that name documents. */
export async function readCounters(connection: Connection): Promise<Counters> {
  const series = await connection.all(sql`select "key" as "of", "current" as "number" from "_series"`);
  const rules = (await hasRules(connection))
    ? await connection.all(sql`select "name" as "of", "counter" as "number" from ${ident(NAMING_RULE)}`)
    : [];
  const numbers = (rows: typeof series) =>
    new Map(rows.map((row) => [String(row['of']), Number(row['number'])]));
  return { series: numbers(series), rules: numbers(rules) };
}

/**
 * Moves each counter on: to its number among `later`, if that is higher; without `later`, by `skip`. Counters that
 * only `later` has begin where they were.
 */
export async function moveCountersOn(
  connection: Connection,
  later: Counters | null,
  skip: number,
): Promise<void> {
  const hasRuleTable = await hasRules(connection);
  if (later === null) {
    await connection.run(sql`update "_series" set "current" = "current" + ${skip}`);
    // A rule that has named nothing yet begins at one.
    if (hasRuleTable) {
      await connection.run(
        sql`update ${ident(NAMING_RULE)} set "counter" = "counter" + ${skip} where "counter" > 0`,
      );
    }
    return;
  }
  for (const [key, number] of later.series) await raiseCounter(connection, key, number);
  if (!hasRuleTable) return;
  for (const [name, number] of later.rules) {
    await connection.run(
      sql`update ${ident(NAMING_RULE)} set "counter" = ${number} where "name" = ${name} and "counter" < ${number}`,
    );
  }
}

// A backup of an earlier version may lack it.
async function hasRules(connection: Connection): Promise<boolean> {
  return (await describeTable(connection, NAMING_RULE)) !== null;
}
