import { refusal, requirePermission } from '../../access/permission.ts';
import { isSystemManager } from '../../access/user.ts';
import { ident, sql } from '../../db/sql.ts';
import type { Document, Right } from '../../doctype/doctype.ts';
import { nameKey } from '../../doctype/numbered.ts';
import { isOwnWorkInHook } from '../../document/context.ts';
import type { Context, Controller } from '../../document/contract.ts';
import { textOf } from '../../document/document.ts';
import { absent } from '../../document/load/permit.ts';
import { lockClause } from '../../document/lock.ts';
import { createDocument } from '../../document/verbs/create.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { checkMentions } from '../notifications/mentions.ts';
import { carriesHistory } from './carriers.ts';
import { mayReadReference, referenceFilter } from './reference.ts';

/** The `comment_type` of comments by people. The system writes all other types. */
const WRITTEN = 'Comment';

/** The `comment_type` of a comment by the system. */
export type AutomaticComment =
  | 'Assigned'
  | 'Assignment Completed'
  | 'Attachment'
  | 'Attachment Removed'
  | 'Edit'
  | 'Like';

const READING: ReadonlySet<Right> = new Set<Right>(['read', 'select', 'report', 'export', 'print', 'email']);

/** Contexts of the system's own comments: their document is checked already. */
const automatic = new WeakSet<Context>();

/**
 * Comments. A reader of a document may comment on it and read its comments; only the author and System
 * Managers may change or delete a comment. Its document never changes. Users cannot sign with another name,
 * and cannot write, change or delete comments of the system. Exception: a System Manager may import comments.
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
    if (doc['comment_type'] === WRITTEN) checkMentions(textOf(doc, 'content'));
    if (before || !isSystemManager(ctx.user) || !doc['comment_email']) {
      const signed = before ?? (await signature(ctx));
      doc['comment_email'] = signed['comment_email'] ?? null;
      doc['comment_by'] = signed['comment_by'] ?? null;
    }
  },

  async hasPermission(ctx, doc, right) {
    const [doctypeName, name] = [textOf(doc, 'reference_doctype'), textOf(doc, 'reference_name')];
    if (right === 'create') {
      // The check of mandatory fields reports missing values.
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

/** Adds a comment by the system on the acting user's action, in their name. `html` must be safe. */
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

/** The same transaction and user with all rights, for consequences of an allowed action. */
export function inOwnName(ctx: Context): Context {
  return { ...ctx, user: { ...ctx.user, isAdministrator: true, scope: null } };
}

/** Escapes text for HTML. */
export function escapeHtml(plain: string): string {
  return plain
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * Requires that the user may read a document with a history, and keeps it in place until the commit.
 * @throws ServiceError ValidationError, PermissionError, DoesNotExistError
 */
export async function requireReference(ctx: Context, doctypeName: string, name: string): Promise<void> {
  const doctype = ctx.doctypes.get(doctypeName);
  if (!carriesHistory(doctype)) {
    throw new ServiceError('ValidationError', `${doctype.name} cannot be commented on`);
  }
  requirePermission(ctx.user, doctype, 'read');
  if (!doctype.issingle) {
    // Locks the document, so that no transaction deletes or renames it before the commit.
    const row = await ctx.db.get(
      sql`select 1 as "one" from ${ident(doctype.name)} where "name" = ${nameKey(doctype, name)}${lockClause(ctx.db.dialect, 'stay')}`,
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
