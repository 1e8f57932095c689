import { requirePermission } from '../../access/permission.ts';
import { sendOrRun } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import type { Context, Controller, Hook, Method } from '../../document/contract.ts';
import { textOf } from '../../document/document.ts';
import { createDocument } from '../../document/verbs/create.ts';
import { deleteDocument } from '../../document/verbs/delete.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { requireReference } from '../history/comment.ts';
import { forgetFollowers } from './followers.ts';

/** A user sees and ends only their own follows, and follows only documents that they may read. */
export const documentFollowController: Controller = {
  async validate(doc, ctx, { before }) {
    if (before) return;
    doc['user'] = ctx.user.name;
    if (ctx.user.isGuest) throw new ServiceError('PermissionError', 'Guests follow no documents');
    const doctype = ctx.doctypes.get(textOf(doc, 'ref_doctype'));
    const name = textOf(doc, 'ref_docname');
    await requireReference(ctx, doctype.name, name);
    if ((await followOf(ctx, doctype, name)) !== null) {
      throw new ServiceError('DuplicateEntryError', 'You already follow this document');
    }
    await requireRoom(ctx, sql`"ref_doctype" = ${doctype.name} and "ref_docname" = ${name}`, 'followers');
    await requireRoom(ctx, sql`"user" = ${ctx.user.name}`, 'follows');
  },
  onChange: (_doc, ctx) => ctx.afterCommit(() => forgetFollowers(ctx.site)),
  hasPermission: (ctx, doc, right) =>
    right === 'create' || ctx.system === true || doc['user'] === ctx.user.name,
  rowFilter: (ctx) => (ctx.system === true ? null : sql`"user" = ${ctx.user.name}`),
};

/** Deletes the follows and notifications about a deleted document, and those of a deleted user. */
export const dropNotifications: Hook = async (doc, ctx, change) => {
  if (change.doctype.istable || change.doctype.is_virtual) return;
  await sendOrRun(
    ctx.db,
    sql`delete from "Document Follow" where "ref_doctype" = ${doc.doctype} and "ref_docname" = ${doc.name}`,
  );
  await sendOrRun(
    ctx.db,
    sql`delete from "Notification Log" where "document_name" = ${doc.name} and "document_type" = ${doc.doctype}`,
  );
  if (doc.doctype !== 'User') return;
  await sendOrRun(ctx.db, sql`delete from "Document Follow" where "user" = ${doc.name}`);
  await sendOrRun(
    ctx.db,
    sql`delete from "Notification Log" where "for_user" = ${doc.name} or "from_user" = ${doc.name}`,
  );
};

const OF = {
  doctype: { type: 'Data', required: true },
  doc_name: { type: 'Data', required: true },
} as const;
const WHO = { ...OF, user: { type: 'Data', description: 'You: nobody follows for others' } } as const;

/** Methods to follow documents: each for the caller alone. */
export const followMethods: Readonly<Record<string, Method>> = {
  'frappe.desk.form.document_follow.follow_document': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Follow a document: be notified of its changes and comments',
    args: WHO,
    async run(ctx, { doctype, doc_name, user }) {
      requireSelf(ctx, user);
      return follow(ctx, doctype, doc_name);
    },
  }),
  'frappe.desk.form.document_follow.unfollow_document': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Follow a document no longer',
    args: WHO,
    async run(ctx, { doctype, doc_name, user }) {
      requireSelf(ctx, user);
      return unfollow(ctx, doctype, doc_name);
    },
  }),
  'frappe.desk.form.document_follow.update_follow': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Follow a document, or follow it no longer',
    args: { ...OF, following: { type: 'Check', required: true } },
    async run(ctx, { doctype, doc_name, following }) {
      await (following ? follow : unfollow)(ctx, doctype, doc_name);
      return following;
    },
  }),
};

function requireSelf(ctx: Context, user: string | null): void {
  if (user === null || user === '' || user === ctx.user.name) return;
  throw new ServiceError('PermissionError', 'You can follow documents only for yourself');
}

async function follow(ctx: Context, doctypeName: string, name: string): Promise<boolean> {
  const doctype = ctx.doctypes.get(doctypeName);
  if ((await followOf(ctx, doctype, name)) === null) {
    await createDocument(ctx, 'Document Follow', { ref_doctype: doctype.name, ref_docname: name });
  }
  return true;
}

async function unfollow(ctx: Context, doctypeName: string, name: string): Promise<boolean> {
  requirePermission(ctx.user, ctx.doctypes.get('Document Follow'), 'delete');
  const own = await followOf(ctx, ctx.doctypes.get(doctypeName), name);
  if (own !== null) await deleteDocument(ctx, 'Document Follow', own);
  return own !== null;
}

async function followOf(ctx: Context, doctype: DocType, name: string): Promise<string | null> {
  const row = await ctx.db.get(
    sql`select "name" from "Document Follow" where "ref_doctype" = ${doctype.name} and "ref_docname" = ${name}
        and "user" = ${ctx.user.name}`,
  );
  return row ? String(row['name']) : null;
}

async function requireRoom(ctx: Context, which: Sql, kind: 'followers' | 'follows'): Promise<void> {
  const row = await ctx.db.get(sql`select count(*) as "count" from "Document Follow" where ${which}`);
  if (Number(row?.['count']) < LIMITS[kind]) return;
  const what =
    kind === 'followers'
      ? `A document can have at most ${LIMITS.followers} followers`
      : `A user can follow at most ${LIMITS.follows} documents`;
  throw new ServiceError('ValidationError', what);
}
