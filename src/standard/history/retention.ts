import type { Database } from '../../db/database.ts';
import { EMPTY, ident, join, type Sql, sql } from '../../db/sql.ts';
import type { Site } from '../../document/contract.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import {
  oversizedDeliveries,
  pruneDeliveries,
  pruneDeliveriesUpTo,
} from '../../webhook/queue/prune-deliveries.ts';

const DAY = 24 * 60 * 60 * 1_000_000;

/** Comments by the system about actions. Likes are not among them, because users may withdraw them. */
const ACTIVITY = ['Assigned', 'Assignment Completed', 'Attachment', 'Attachment Removed', 'Edit'];

/** A kind of record with a limited retention. */
export interface RetentionRule {
  /** The name of the records, for the log. */
  readonly records: string;
  /** Deletes at most one batch of the oldest expired records. Resolves to their number. */
  prune(): Promise<number>;
}

/** The retention rules of a site's settings. Days are counted by the site's clock. */
export function retentionRules(
  site: Pick<Site, 'config' | 'settings' | 'database' | 'clock'>,
): RetentionRule[] {
  const { config, settings, database } = site;
  const rules: RetentionRule[] = [];
  const add = (days: number, records: string, prune: (before: number) => Promise<number>) => {
    if (days > 0) rules.push({ records, prune: () => prune(site.clock.micros() - days * DAY) });
  };
  const byCreation = (table: string, kind: Sql = EMPTY) => {
    return (micros: number) =>
      pruneTable(database, table, sql`"creation" < ${formatTimestamp(micros, config.timeZone)}${kind}`);
  };
  add(settings.versionDays, 'Version', byCreation('Version'));
  add(settings.deletedDays, 'Deleted Document', byCreation('Deleted Document'));
  const types = join(ACTIVITY.map((type) => sql`${type}`));
  add(settings.activityDays, 'Comment', byCreation('Comment', sql` and "comment_type" in (${types})`));
  add(LIMITS.notificationDays, 'Notification Log', byCreation('Notification Log'));
  rules.push({ records: 'Notification Log', prune: () => pruneCrowded(database) });
  add(config.auditDays, 'Audit Log', byCreation('_audit'));
  add(settings.webhookLogDays, 'Webhook Request Log', (micros) =>
    pruneDeliveries(database, Math.floor(micros / 1000), LIMITS.pruneBatch),
  );
  const { logBytes } = config.webhooks;
  if (logBytes > 0) rules.push({ records: 'Webhook Request Log', prune: bySize(database, logBytes) });
  return rules;
}

// Measures the excess once for all batches.
function bySize(database: Database, bytes: number): () => Promise<number> {
  let upTo: Promise<number> | null = null;
  return async () => {
    upTo ??= oversizedDeliveries(database, bytes);
    const id = await upTo;
    return id === 0 ? 0 : pruneDeliveriesUpTo(database, id, LIMITS.pruneBatch);
  };
}

/** Deletes the oldest notifications of users with too many, one user at a time. */
async function pruneCrowded(database: Database): Promise<number> {
  const crowded = await database.reader.get(
    sql`select "for_user" from "Notification Log" group by "for_user"
        having count(*) > ${LIMITS.notificationsKept} limit 1`,
  );
  const user = crowded?.['for_user'];
  if (user === undefined) return 0;
  const rows = await database.reader.all(
    sql`select "name" from "Notification Log" where "for_user" = ${user} order by "creation" desc
        limit ${LIMITS.pruneBatch} offset ${LIMITS.notificationsKept}`,
  );
  if (rows.length === 0) return 0;
  const names = join(rows.map((row) => sql`${row['name'] ?? null}`));
  return database.transaction((connection) =>
    connection.run(sql`delete from "Notification Log" where "name" in (${names})`),
  );
}

async function pruneTable(database: Database, table: string, old: Sql): Promise<number> {
  // Searches outside the transaction, so that an empty search blocks no writer.
  const rows = await database.reader.all(
    sql`select "name" from ${ident(table)} where ${old} order by "creation" limit ${LIMITS.pruneBatch}`,
  );
  if (rows.length === 0) return 0;
  const names = join(rows.map((row) => sql`${row['name'] ?? null}`));
  return database.transaction((connection) =>
    connection.run(sql`delete from ${ident(table)} where "name" in (${names})`),
  );
}
