import { type Sql, sql } from '../../db/sql.ts';

/** Forgets how a webhook's receiver behaved, in the transaction that changes or deletes the webhook. */
export function resetEndpoint(webhook: string, now: number): Sql {
  return sql`update "_webhook_endpoint" set "failing_since" = null, "consecutive_failures" = 0, "paused_until" = null,
    "breaker_until" = null, "noticed_at" = null, "disabled_at" = null, "disabled_reason" = null, "modified_at" = ${now}
    where "webhook" = ${webhook}`;
}
