/** What the moment of resolution depends on. */
export interface Resolution {
  status: string | null;
  resolved_on: string | null;
}

/**
 * When a ticket was resolved: the first moment it was Resolved or Closed, kept until it is opened again. `before` is
 * the ticket as stored, null for a new one; what a client says about it does not count.
 */
export function resolvedOn(status: string | null, before: Resolution | null, now: string): string | null {
  if (!isDone(status)) return null;
  return before && isDone(before.status) && before.resolved_on ? before.resolved_on : now;
}

function isDone(status: string | null): boolean {
  return status === 'Resolved' || status === 'Closed';
}
