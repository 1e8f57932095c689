import { refusal, requirePermission } from '../../access/permission.ts';
import { isSystemManager } from '../../access/user.ts';
import { ident, sql } from '../../db/sql.ts';
import type { Document, Right } from '../../doctype/doctype.ts';
import { type Context, isOwnWorkInHook } from '../../document/context.ts';
import type { Controller } from '../../document/controller.ts';
import { createDocument } from '../../document/create.ts';
import { textOf } from '../../document/document.ts';
import { lockClause } from '../../document/lock.ts';
import { absent } from '../../document/permit.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { carriesHistory } from './carriers.ts';
import { mayReadReference, referenceFilter } from './reference.ts';

/** The `comment_type` of what people write. All others tell of something that the system did or saw. */
const WRITTEN = 'Comment';

/** What the `comment_type` of a comment says that the system makes. */
export type AutomaticComment =
  | 'Assigned'
  | 'Assignment Completed'
  | 'Attachment'
  | 'Attachment Removed'
  | 'Edit'
  | 'Like';

const READING: ReadonlySet<Right> = new Set<Right>(['read', 'select', 'report', 'export', 'print', 'email']);

/** Contexts in which the system comments: it has looked at the document already. */
const automatic = new WeakSet<Context>();

/**
 * Comments: whoever may read a document may comment on it and read its comments; changing and deleting one is for who
 * wrote it and for System Managers. Where it belongs never changes. Nobody signs with another's name, or writes, changes
 * or deletes what the system says, but a System Manager who brings comments in from elsewhere.
 */
export const commentController: Controller = {
  async validate(doc, ctx, { before }) {
    const isTheirs = isSystemManager(ctx.user) || isOwnWorkInHook(ctx);
    if (!before && !isTheirs && doc['comment_type'] !== WRITTEN) {
      throw new ServiceError(
        'ValidationError',
        `Comment Type must be ${WRITTEN}: comments of other types are made by the system`,
        { places: [{ fieldname: 'comment_type' }] },
      );
    }
    if (before || !isSystemManager(ctx.user) || !doc['comment_email']) {
      const signed = before ?? (await signature(ctx));
      doc['comment_email'] = signed['comment_email'] ?? null;
      doc['comment_by'] = signed['comment_by'] ?? null;
    }
  },

  async hasPermission(ctx, doc, right) {
    const [doctypeName, name] = [textOf(doc, 'reference_doctype'), textOf(doc, 'reference_name')];
    if (right === 'create') {
      // Absent ones are missed with the other mandatory fields.
      if (automatic.has(ctx) || doctypeName === '' || name === '') return true;
      await requireReference(ctx, doctypeName, name);
      return true;
    }
    if (!READING.has(right) && !isSystemManager(ctx.user)) {
      if (doc.owner !== ctx.user.name || doc['comment_type'] !== WRITTEN) return false;
    }
    return mayReadReference(ctx, doctypeName, name);
  },

  rowFilter: (ctx) =>
    referenceFilter(ctx, { type: ident('reference_doctype'), name: ident('reference_name') }),
};

/** A comment that the system makes on what the acting user did, in their name. `html` must be safe. */
export async function commentAutomatically(
  ctx: Context,
  doctypeName: string,
  name: string,
  type: AutomaticComment,
  html: string,
): Promise<void> {
  const acting: Context = inOwnName(ctx);
  automatic.add(acting);
  await createDocument(acting, 'Comment', {
    comment_type: type,
    reference_doctype: doctypeName,
    reference_name: name,
    content: html,
  });
}

/** The same transaction and user, with every right: for what follows from an action that was allowed. */
export function inOwnName(ctx: Context): Context {
  return { ...ctx, user: { ...ctx.user, isAdministrator: true, scope: null } };
}

/** Text as HTML. */
export function escapeHtml(plain: string): string {
  return plain
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

async function requireReference(ctx: Context, doctypeName: string, name: string): Promise<void> {
  const doctype = ctx.doctypes.get(doctypeName);
  if (!carriesHistory(doctype)) {
    throw new ServiceError('ValidationError', `${doctype.name} cannot be commented on`);
  }
  requirePermission(ctx.user, doctype, 'read');
  if (!doctype.issingle) {
    // From here to the commit nobody deletes or renames it.
    const row = await ctx.db.get(
      sql`select 1 as "one" from ${ident(doctype.name)} where "name" = ${name}${lockClause(ctx.db.dialect, 'stay')}`,
    );
    if (!row) throw absent(ctx, doctype, name, 'read');
  }
  if (!(await mayReadReference(ctx, doctype.name, name))) throw refusal(doctype, 'read');
}

async function signature(ctx: Context): Promise<Record<string, unknown> & Partial<Document>> {
  const { name } = ctx.user;
  const row = await ctx.db.get(sql`select "full_name" from "User" where "name" = ${name}`);
  return { comment_email: name, comment_by: String(row?.['full_name'] || name) };
}
