import type { Connection, Row } from '../db/database.ts';
import { join, type SqlValue, sql } from '../db/sql.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Random } from '../kernel/random.ts';

/**
 * `error`: a record that was not stored. `changed`: a value that was stored otherwise, such as cleaned HTML, or left
 * out. `link`: a link to a document that is not there. `undo`: a document that an undo has left as it is.
 */
export type ProblemKind = 'error' | 'changed' | 'link' | 'undo';

/** An entry of the log of a load. */
export interface LoadProblem {
  readonly kind: ProblemKind;
  readonly doctype: string;
  readonly key: string;
  /** The row of the source; 0 when unknown. */
  readonly row: number;
  /** The field, in a child table as `items.qty`; '' for the record as a whole. */
  readonly field: string;
  /** The bad value; long ones are cut. */
  readonly value: string;
  readonly reason: string;
}

/** Writes problems of one run, up to `LIMITS.loadProblems` of each load. */
export class ProblemLog {
  readonly #load: string;
  readonly #run: string;
  #seq: number;

  private constructor(load: string, run: string, seq: number) {
    this.#load = load;
    this.#run = run;
    this.#seq = seq;
  }

  static async open(db: Connection, random: Random, load: string): Promise<ProblemLog> {
    const row = await db.get(sql`select max("seq") as "last" from "_load_problem" where "load" = ${load}`);
    return new ProblemLog(load, random.hash(10), Number(row?.['last'] ?? 0));
  }

  async add(db: Connection, problems: readonly LoadProblem[]): Promise<void> {
    for (let start = 0; start < problems.length; start += BATCH) {
      const room = LIMITS.loadProblems - this.#seq;
      const some = problems.slice(start, start + Math.min(BATCH, Math.max(0, room)));
      if (some.length === 0) return;
      const rows = some.map((problem) => {
        this.#seq += 1;
        return sql`(${join(this.#values(problem).map((value) => sql`${value}`))})`;
      });
      await db.run(
        sql`insert into "_load_problem"
            ("load", "kind", "seq", "run", "doctype", "key", "row", "field", "value", "reason") values ${join(rows)}`,
      );
    }
  }

  #values({ kind, doctype, key, row, field, value, reason }: LoadProblem): SqlValue[] {
    const shown = [...value.slice(0, 2 * LIMITS.loadValueShown)].slice(0, LIMITS.loadValueShown).join('');
    return [
      this.#load,
      kind,
      this.#seq,
      this.#run,
      doctype,
      key,
      row,
      field,
      shown.replaceAll('\0', ''),
      reason,
    ];
  }
}

const BATCH = 256;

/** Forgets problems that a new run of the load finds again. */
export async function clearProblems(
  db: Connection,
  load: string,
  kinds: readonly ProblemKind[],
): Promise<void> {
  for (const kind of kinds) {
    await db.run(sql`delete from "_load_problem" where "load" = ${load} and "kind" = ${kind}`);
  }
}

/** A page of the log of a load, in the order of its entries. */
export async function readProblems(
  db: Connection,
  load: string,
  {
    start,
    limit,
    kind,
  }: { readonly start: number; readonly limit: number; readonly kind?: ProblemKind | undefined },
): Promise<LoadProblem[]> {
  const only = kind === undefined ? sql`` : sql` and "kind" = ${kind}`;
  const rows: Row[] = await db.all(
    sql`select "kind", "doctype", "key", "row", "field", "value", "reason" from "_load_problem"
        where "load" = ${load}${only} order by "seq", "run" limit ${limit} offset ${start}`,
  );
  return rows as unknown as LoadProblem[];
}
