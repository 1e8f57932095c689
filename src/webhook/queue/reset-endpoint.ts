import { type Sql, sql } from '../../db/sql.ts';

/**
 * Forgets how a webhook's receiver behaved, in the transaction that changes the webhook. The breaker of an
 * unchanged origin makes a probe at once; that of another origin stays as it is.
 */
export function resetEndpoint(webhook: string, isSameOrigin: boolean, now: number): Sql {
  return sql`insert into "_webhook_endpoint" ("webhook", "breaker_until", "modified_at")
    values (${webhook}, ${isSameOrigin ? 0 : null}, ${now})
    on conflict ("webhook") do update set "failing_since" = null, "consecutive_failures" = 0, "paused_until" = null,
      "breaker_until" = excluded."breaker_until", "noticed_at" = null, "disabled_at" = null, "disabled_reason" = null,
      "modified_at" = excluded."modified_at"`;
}
