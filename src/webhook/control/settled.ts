import type { Database } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { waited } from '../../kernel/wait.ts';

/** A question that is answered once the transactions of its time are over. */
interface Asked {
  readonly id: number;
  readonly xmax: number;
}

interface Known {
  /** Every delivery up to this id that will ever be there can be seen. */
  upTo: number;
  asked: Asked | null;
}

const known = new WeakMap<Database, Known>();

const TRIES = 5;
/** Between two tries: transactions last milliseconds. */
const PAUSE = 20;

/**
 * The id up to which deliveries are complete: none of a smaller id becomes visible later. On PostgreSQL ids are given before
 * the commit, so it lags behind while transactions run; SQLite has one writer.
 */
export async function settledUpTo(database: Database): Promise<number> {
  if (database.dialect.name === 'sqlite') return Number.MAX_SAFE_INTEGER;
  const state = known.get(database) ?? { upTo: 0, asked: null };
  known.set(database, state);
  for (let tries = 1; ; tries += 1) {
    const newest = await look(database, state);
    if (state.upTo >= newest || tries === TRIES) return state.upTo;
    await waited(PAUSE);
  }
}

async function look(database: Database, state: Known): Promise<number> {
  const row = await database.reader.get(
    sql`select coalesce((select max("id") from "_webhook_delivery"), 0) as "newest",
        pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "xmin",
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint as "xmax"`,
  );
  const [newest, xmin, xmax] = [Number(row?.['newest']), Number(row?.['xmin']), Number(row?.['xmax'])];
  // An answer may arrive after a later one.
  const settle = (id: number) => {
    state.upTo = Math.max(state.upTo, id);
  };
  if (xmin >= xmax) settle(newest);
  const { asked } = state;
  if (asked && xmin >= asked.xmax) {
    settle(asked.id);
    state.asked = null;
  }
  // Whoever asked later would wait for later transactions: the first question is kept until it is answered.
  state.asked ??= newest > state.upTo ? { id: newest, xmax } : null;
  return newest;
}
