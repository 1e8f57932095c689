import type { Site } from '../../document/contract.ts';
import { PostgresQueue } from './postgres-queue.ts';
import type { DeliveryQueue } from './queue.ts';
import { SqliteQueue } from './sqlite-queue.ts';

/** The queue of the site's database. `node` names this process. */
export function openQueue(site: Site, node: string): DeliveryQueue {
  return site.database.dialect.name === 'sqlite'
    ? new SqliteQueue(site, node)
    : new PostgresQueue(site, node);
}
