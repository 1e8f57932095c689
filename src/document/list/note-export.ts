import { audit } from '../../access/audit.ts';
import { auditApart } from '../../access/audit-apart.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { ListQuery } from '../../query/list-query.ts';
import { isOwnWork } from '../context.ts';
import type { Context } from '../contract.ts';

/** Records a list without a limit, or with a very high one, in the audit log as an export. */
export async function noteExport(ctx: Context, { doctype, limit }: ListQuery): Promise<void> {
  if (limit !== null && limit <= LIMITS.exportRows) return;
  // User interfaces read all definitions at once; they are no data.
  if (doctype.name === 'DocType') return;
  // Lists of the system and of hooks do not leave the server.
  if (!ctx.origin || isOwnWork(ctx)) return;
  const entry = { event: 'exported', doctype: doctype.name, details: { rows: limit ?? 'all' } } as const;
  if (ctx.db === ctx.site.database.reader) {
    await auditApart(ctx.site, ctx.origin, { ...entry, user: ctx.user.name });
  } else await audit(ctx, entry);
}
