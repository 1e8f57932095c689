import type { Database } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { memo } from '../../kernel/memo.ts';
import { waited } from '../../kernel/wait.ts';

/** A newest id, and the transactions that must end before all ids up to it are visible. */
interface Asked {
  readonly id: number;
  readonly xmax: number;
}

interface SettledState {
  /** All deliveries up to this id are visible; none can be added. */
  upTo: number;
  asked: Asked | null;
}

const knownOf = memo((_: Database): SettledState => ({ upTo: 0, asked: null }));

const TRIES = 5;
/** Milliseconds between two checks: transactions are short. */
const PAUSE = 20;

/**
 * The id up to which deliveries are complete: no smaller id becomes visible later. PostgreSQL assigns ids
 * before the commit, so this value lags behind while transactions run. SQLite has a single writer.
 */
export async function settledUpTo(database: Database): Promise<number> {
  if (database.dialect.name === 'sqlite') return Number.MAX_SAFE_INTEGER;
  const state = knownOf(database);
  for (let tries = 1; ; tries += 1) {
    const newest = await look(database, state);
    if (state.upTo >= newest || tries === TRIES) return state.upTo;
    await waited(PAUSE);
  }
}

async function look(database: Database, state: SettledState): Promise<number> {
  const row = await database.reader.get(
    sql`select coalesce((select max("id") from "_webhook_delivery"), 0) as "newest",
        pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "xmin",
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint as "xmax"`,
  );
  const [newest, xmin, xmax] = [Number(row?.['newest']), Number(row?.['xmin']), Number(row?.['xmax'])];
  // Answers may arrive out of order.
  const settle = (id: number) => {
    state.upTo = Math.max(state.upTo, id);
  };
  if (xmin >= xmax) settle(newest);
  const { asked } = state;
  if (asked && xmin >= asked.xmax) {
    settle(asked.id);
    state.asked = null;
  }
  // A later question would wait for later transactions, so the first one is kept until it is answered.
  state.asked ??= newest > state.upTo ? { id: newest, xmax } : null;
  return newest;
}
