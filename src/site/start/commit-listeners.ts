import type { CommitListener } from '../../document/contract.ts';
import type { ChangeFeed } from '../../feed/feed.ts';
import { auditListener } from '../../standard/audit-listener.ts';
import { historyListener } from '../../standard/history/listener.ts';
import { notificationListener } from '../../standard/notifications/notify.ts';
import { webhookListener } from '../../webhook/match/webhook-listener.ts';
import type { WorkerRole } from '../workers.ts';
import type { Mailer } from './mailer.ts';

/** The commit listeners of a site, in their order. */
export function commitListeners(
  role: WorkerRole,
  mailer: Mailer,
  feed: ChangeFeed,
): readonly CommitListener[] {
  if (role === 'reader') return [refuseChange];
  return [
    historyListener,
    notificationListener(mailer),
    auditListener,
    together(webhookListener(), feed.listener),
  ];
}

// Readers forward each request that changes documents: the writer's caches and deliveries would not know of it.
const refuseChange: CommitListener = async () => {
  throw new Error('a reader changes no documents');
};

// The listeners run together, because each begins with the same kind of query: PostgreSQL receives these
// without a wait between them.
function together(...listeners: readonly CommitListener[]): CommitListener {
  const listenTogether: CommitListener = async (ctx) => {
    await Promise.all(listeners.map((listen) => listen(ctx)));
  };
  listenTogether.foresee = (ctx, doctypeName) => {
    for (const listener of listeners) listener.foresee?.(ctx, doctypeName);
  };
  return listenTogether;
}
