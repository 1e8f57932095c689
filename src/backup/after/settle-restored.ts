import { audit, COMMAND_LINE } from '../../access/audit.ts';
import { endAllAccess, type TurnedOff, turnOffRevoked } from '../../access/end-access.ts';
import { TOKEN_KEY } from '../../access/seal.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import type { Connection, Database } from '../../db/database.ts';
import { join, type Sql, sql } from '../../db/sql.ts';
import { moveCountersOn } from '../../document/naming/counters.ts';
import { DATABASE_ID, FILES_BOUND, FILES_STORAGE } from '../../file/site-mark.ts';
import { type Clock, formatTimestamp, nowMillis } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Observer } from '../../kernel/observation.ts';
import type { Random } from '../../kernel/random.ts';
import { countDeliveriesFrom, highestDelivery, setDeliveriesAside } from '../../webhook/queue/set-aside.ts';
import type { LaterState } from './later-state.ts';

/** How to settle a restored database. */
export interface SettleOptions {
  /** The moment whose state was restored; milliseconds since the epoch. */
  readonly moment: number;
  /** The newest state known after it; null without one. */
  readonly later: LaterState | null;
  readonly config: { readonly timeZone: string };
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Observer;
}

/** What was settled, for the terminal. */
export interface Settled extends TurnedOff {
  /** Deliveries set aside: shown as held until an administrator resends or cancels them. */
  readonly deliveries: number;
  /** Numbers that each series leaves out; 0 where it continues after a later state. */
  readonly skipped: number;
}

/**
 * Makes a restored database safe to serve: nothing that happened after its moment happens twice, and nothing that
 * ended after it works again. Call it once, after the system tables are migrated and before a server opens the
 * database. One transaction does all or nothing; a second call would only leave out numbers once more.
 */
export function settleRestored(database: Database, options: SettleOptions): Promise<Settled> {
  const { moment, later, config, clock, random } = options;
  return database.transaction(async (db) => {
    const millis = nowMillis(clock);
    const timestamp = formatTimestamp(clock.micros(), config.timeZone);
    const deliveries = await setDeliveriesAside(db, { millis, timestamp });
    await moveNumbersOn(db, later);
    await endAllAccess(db, millis);
    const off = later ? await turnOffRevoked(db, later.credentials, timestamp) : { users: [], keys: [] };
    await forgetProcesses(db);
    await becomeAnother(db, random);
    const skipped = later === null ? LIMITS.restoreSkip : 0;
    const settled: Settled = { deliveries, skipped, ...off };
    await note(db, options, settled, formatTimestamp(moment * 1_000, config.timeZone));
    return settled;
  });
}

async function moveNumbersOn(db: Connection, later: LaterState | null): Promise<void> {
  await moveCountersOn(db, later?.counters ?? null, LIMITS.restoreSkip);
  const highest = Math.max(await highestDelivery(db), later?.deliveries ?? 0);
  await countDeliveriesFrom(db, highest + (later ? 0 : LIMITS.restoreSkipDeliveries));
}

/**
 * What processes of the former site have left: who runs, who holds files, whose turn a job is, who views a document,
 * pieces of uploads that no backup has. Recorded changes are of transactions of another database; for positions see
 * `becomeAnother`.
 */
const LEFT_BY_PROCESSES: readonly Sql[] = [
  sql`"_node"`,
  sql`"_webhook_node"`,
  sql`"_webhook_start"`,
  sql`"_job_turn"`,
  sql`"_viewer"`,
  sql`"_storage_writer"`,
  sql`"_backup_hold"`,
  sql`"_partial_piece"`,
  sql`"_partial_upload"`,
  sql`"_change"`,
  sql`"_change_follow"`,
];

async function forgetProcesses(db: Connection): Promise<void> {
  for (const table of LEFT_BY_PROCESSES) await db.run(sql`delete from ${table}`);
}

/**
 * The key of cursors and positions goes, and the next start makes another: positions in the feed of changes, positions
 * of replicas, cursors of lists and links to files from before the restore are invalid from then on. A new id of the
 * database keeps it from files that are bound to another copy, and it has no storage until it is bound to one.
 */
async function becomeAnother(db: Connection, random: Random): Promise<void> {
  const former = join([TOKEN_KEY, FILES_BOUND, FILES_STORAGE, DATABASE_ID].map((key) => sql`${key}`));
  await db.run(sql`delete from "_setting" where "key" in (${former})`);
  await db.run(
    sql`insert into "_setting" ("key", "value") values (${DATABASE_ID}, ${random.bytes(8).toString('hex')})`,
  );
}

async function note(db: Connection, site: SettleOptions, settled: Settled, moment: string): Promise<void> {
  const { users, keys, deliveries, skipped } = settled;
  const why = { restored: moment };
  await audit(
    { site, db, user: ADMINISTRATOR, origin: COMMAND_LINE },
    {
      event: 'site_restored',
      details: { moment, deliveries, skipped, users: users.length, keys: keys.length },
    },
    ...users.map((name) => ({ event: 'user_disabled' as const, doctype: 'User', name, details: why })),
    ...keys.map(({ key: name, user }) => ({
      event: 'key_changed' as const,
      doctype: 'API Key',
      name,
      details: { ...why, user, enabled: [1, 0] },
    })),
  );
}
