import { ChangeFeed } from '../../feed/feed.ts';
import { QueueWatch } from '../../webhook/control/queue-watch.ts';
import { rememberSlowQueries, type SlowQueries } from '../slow-queries.ts';
import { type Mailer, openMailer } from './mailer.ts';
import type { Store } from './open-store.ts';
import type { Start } from './start.ts';

/** The services of a site beside documents. */
export interface Services {
  /** Null for a tool. */
  readonly slowQueries: SlowQueries | null;
  readonly feed: ChangeFeed;
  readonly mailer: Mailer;
  readonly queueWatch: QueueWatch;
}

/** Opens the record of slow queries, the change feed and the mailer. */
export async function openServices(start: Start, { database }: Store): Promise<Services> {
  const { config, clock, observe, isTool, role, jobs, undos } = start;
  const slowQueries =
    isTool && role !== 'reader' ? null : rememberSlowQueries(database, clock, observe, jobs);
  undos.add(async () => slowQueries?.stop());
  const feed = new ChangeFeed({ clock, database, observe, jobs });
  undos.add(await feed.start(isTool, config.role !== 'serve'));
  const mailer = openMailer(config, observe);
  undos.add(() => mailer.close());
  return { slowQueries, feed, mailer, queueWatch: new QueueWatch({ database, clock, observe }) };
}
