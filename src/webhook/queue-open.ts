import type { Site } from '../document/context.ts';
import type { DeliveryQueue } from './queue.ts';
import { PostgresQueue } from './queue-postgres.ts';
import { SqliteQueue } from './queue-sqlite.ts';

/** The queue of the site's database. `node` names this process. */
export function openQueue(site: Site, node: string): DeliveryQueue {
  return site.database.dialect.name === 'sqlite'
    ? new SqliteQueue(site, node)
    : new PostgresQueue(site, node);
}
