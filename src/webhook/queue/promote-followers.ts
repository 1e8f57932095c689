import type { Database, Row } from '../../db/database.ts';
import { POSTGRES } from './postgres-statements.ts';
import { announceDeliveries, type DueDelivery } from './wake.ts';

/** Milliseconds over which promotions of several saves are batched. */
const GATHER = 5;

const gathered = new WeakMap<Database, Map<string, Row>>();

/**
 * On PostgreSQL a delivery can be parked behind another one that is recorded as ended in a concurrent
 * transaction: neither sees the other. So both look again after their commit, and the later one finds it.
 * Resolves to the deliveries that became due. `followers` have `webhook` and `order_key`.
 */
export async function promoteFollowers(
  database: Database,
  followers: readonly Row[],
): Promise<DueDelivery[]> {
  const values = [JSON.stringify(followers)];
  const rows = await database.transaction((connection) => connection.all({ text: POSTGRES.promote, values }));
  return rows.map(dueDelivery);
}

/** The delivery of a row with `webhook` and `order_key`. */
export function dueDelivery(row: Row): DueDelivery {
  return { webhook: String(row['webhook']), orderKey: String(row['order_key']) };
}

/** The same for a transaction that stored followers: it runs a moment later, and nobody waits for it. */
export function promoteSoon(database: Database, followers: readonly Row[]): void {
  let waiting = gathered.get(database);
  if (!waiting) {
    waiting = new Map();
    gathered.set(database, waiting);
    setTimeout(() => void promoteGathered(database), GATHER);
  }
  for (const each of followers) waiting.set(`${each['webhook']}\u001f${each['order_key']}`, each);
}

async function promoteGathered(database: Database): Promise<void> {
  const followers = [...(gathered.get(database)?.values() ?? [])];
  gathered.delete(database);
  try {
    const due = await promoteFollowers(database, followers);
    if (due.length > 0) announceDeliveries(database, { due, changed: [] });
  } catch {
    // A search about once a second finds stranded followers anyway.
  }
}
