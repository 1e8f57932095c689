import { requirePermission } from '../../access/permission.ts';
import type { Context } from '../../document/contract.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import type { OpenSite } from '../../site/start/open-site.ts';

/**
 * These operations are about the whole server, like System Settings: a key that is limited to other doctypes may
 * not call them. @throws ServiceError PermissionError
 */
export function requireSystem(ctx: Context, right: 'read' | 'write'): void {
  requirePermission(ctx.user, ctx.doctypes.get('System Settings'), right);
}

/** A time as all documents show it; null for none. */
export function shownTime({ config }: Pick<OpenSite, 'config'>, millis: number | null): string | null {
  return millis === null ? null : formatTimestamp(millis * 1000, config.timeZone).slice(0, 19);
}
