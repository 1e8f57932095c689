import { loadUser } from '../../access/load-user.ts';
import { allows, refusal } from '../../access/permission.ts';
import type { Context, Method } from '../../document/contract.ts';
import { pickDocuments } from '../../document/list/list.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { mayReadReference } from '../history/reference.ts';

/** Users to mention in a comment, in the shape of Frappe's editor. */
export const mentionMethods: Readonly<Record<string, Method>> = {
  'frappe.desk.search.get_names_for_mentions': defineMethod({
    http: ['GET', 'POST'],
    description: 'Find users to mention, among those whom you may select; with a document, only its readers',
    args: {
      search_term: { type: 'Data' },
      doctype: { type: 'Data', description: 'With `name`: the document of the comment' },
      name: { type: 'Data' },
    },
    async run(ctx, { search_term, doctype, name }) {
      const about = doctype && name ? { doctype, name } : null;
      if (about) await requireReading(ctx, about.doctype, about.name);
      if (!allows(ctx.user, ctx.doctypes.get('User'), 'select')) return [];
      const found: { id: string; value: string }[] = [];
      for (const { id, value } of await candidates(ctx, search_term?.trim() ?? '')) {
        if (found.length >= LIMITS.mentionable) break;
        const user = await loadUser(ctx.db, id, ctx.site.settings.strictUserPermissions);
        if (!user || user.isGuest) continue;
        if (about && !(await mayReadReference({ ...ctx, user }, about.doctype, about.name))) continue;
        found.push({ id, value });
      }
      return found;
    },
  }),
};

/**
 * Requires that the user may read a document with a history.
 * @throws ServiceError PermissionError, also for a document that does not exist
 */
export async function requireReading(ctx: Context, doctypeName: string, name: string): Promise<void> {
  if (await mayReadReference(ctx, doctypeName, name)) return;
  throw refusal(ctx.doctypes.get(doctypeName), 'read');
}

async function candidates(ctx: Context, text: string): Promise<{ id: string; value: string }[]> {
  const pattern = `%${text.slice(0, LIMITS.dataLength).replace(/[\\%_]/g, '\\$&')}%`;
  const rows = await pickDocuments(ctx, 'User', {
    fields: ['name', 'full_name'],
    ...(text === ''
      ? {}
      : {
          or_filters: [
            ['name', 'like', pattern],
            ['full_name', 'like', pattern],
          ],
        }),
    order_by: 'full_name asc, name asc',
    limit_page_length: LIMITS.mentionCandidates,
  });
  return rows
    .map((row) => ({ id: String(row['name']), value: String(row['full_name'] || row['name']) }))
    .filter(({ id }) => id !== ctx.user.name);
}
