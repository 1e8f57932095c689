import { audit } from '../access/audit.ts';
import { auditApart } from '../access/audit-apart.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { ListQuery } from '../query/list-query.ts';
import { type Context, isOwnWork } from './context.ts';

/** Tells the audit log of a list without a limit, or with one so high that it takes the documents away. */
export async function noteExport(ctx: Context, { doctype, limit }: ListQuery): Promise<void> {
  if (limit !== null && limit <= LIMITS.exportRows) return;
  // What the system and hooks list stays here.
  if (!ctx.origin || isOwnWork(ctx)) return;
  const entry = { event: 'exported', doctype: doctype.name, details: { rows: limit ?? 'all' } } as const;
  if (ctx.db === ctx.site.database.reader) {
    await auditApart(ctx.site, ctx.origin, { ...entry, user: ctx.user.name });
  } else await audit(ctx, entry);
}
