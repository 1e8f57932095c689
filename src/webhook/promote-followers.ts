import type { Database, Row } from '../db/database.ts';
import { POSTGRES } from './queue-postgres-statements.ts';
import { announceDeliveries } from './wake.ts';

/** What several saves stored at about the same time is looked after together; milliseconds. */
const GATHER = 5;

const gathered = new WeakMap<Database, Map<string, Row>>();

/**
 * On PostgreSQL a delivery is parked behind another of its document that may be recorded as through at the same moment: then neither
 * transaction sees the other. So both look again once they are committed, and the later of the two finds it. Resolves to the webhooks
 * that have something due by that. `followers` have `webhook` and `order_key`.
 */
export async function promoteFollowers(database: Database, followers: readonly Row[]): Promise<string[]> {
  const values = [JSON.stringify(followers)];
  const rows = await database.transaction((connection) => connection.all({ text: POSTGRES.promote, values }));
  return [...new Set(rows.map((row) => String(row['webhook'])))];
}

/** The same for those who stored followers, a moment later: nobody waits for it. */
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
    // What is parked behind nothing is also looked for every second or so.
  }
}
