import { allows, reachOf, refusal, requirePermission } from '../access/permission.ts';
import { isSystemManager } from '../access/user.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import type { DocType, Document } from '../doctype/doctype.ts';
import type { Context, Controller, Hook } from '../document/contract.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { isRecord } from '../kernel/value.ts';

/**
 * Saved views. Only the owner sees a private view. A shared view is visible to everyone who may list the
 * documents; its owner and System Managers may change it. A view grants no access: the list applies its own
 * permissions.
 */
export const savedViewController: Controller = {
  async validate(doc, ctx, { before }) {
    const doctype = ctx.doctypes.get(String(doc['reference_doctype'] ?? ''));
    requirePermission(ctx.user, doctype, 'select');
    checkParts(doc);
    if (doc['is_shared'] === 1) requireSharing(ctx, doctype, doc);
    if (!before) await requireRoom(ctx, doc);
  },

  // One default for each owner, and one for everyone.
  async onUpdate(doc, ctx) {
    if (doc['is_default'] !== 1) return;
    const whose =
      doc['is_shared'] === 1 ? sql`"is_shared" = 1` : sql`"is_shared" = 0 and "owner" = ${doc.owner}`;
    await ctx.db.run(sql`
      update "Saved View" set "is_default" = 0, "_revision" = "_revision" + 1
      where "reference_doctype" = ${String(doc['reference_doctype'])} and "is_default" = 1 and ${whose} and "name" <> ${doc.name}`);
  },

  hasPermission(ctx, doc, right) {
    if (ctx.user.isAdministrator || doc.owner === ctx.user.name || right === 'create') return true;
    if (doc['is_shared'] !== 1) return false;
    if (right === 'write' || right === 'delete') return isSystemManager(ctx.user);
    const doctype = ctx.doctypes.find(String(doc['reference_doctype']));
    return doctype !== undefined && allows(ctx.user, doctype, 'select');
  },

  rowFilter(ctx): Sql | null {
    const { user } = ctx;
    if (user.isAdministrator) return null;
    const listed = ctx.doctypes.all().filter((doctype) => allows(user, doctype, 'select'));
    const own = sql`"owner" = ${user.name}`;
    if (listed.length === 0) return own;
    const names = join(listed.map(({ name }) => sql`${name}`));
    return sql`(${own} or ("is_shared" = 1 and "reference_doctype" in (${names})))`;
  },
};

/** Deletes the views of a deleted doctype, and the private views of a deleted user. */
export const dropSavedViews: Hook = async (doc, ctx) => {
  if (doc.doctype === 'DocType')
    await ctx.db.run(sql`delete from "Saved View" where "reference_doctype" = ${doc.name}`);
  if (doc.doctype === 'User')
    await ctx.db.run(sql`delete from "Saved View" where "owner" = ${doc.name} and "is_shared" = 0`);
};

/** The right to share documents includes sharing views; only System Managers set the default for everyone. */
function requireSharing(ctx: Context, doctype: DocType, doc: Document): void {
  if (isSystemManager(ctx.user)) return;
  if (reachOf(ctx.user, doctype, 'share') === 'none') throw refusal(doctype, 'share');
  if (doc['is_default'] === 1)
    throw new ServiceError('PermissionError', 'Only a System Manager may set the default view of everybody', {
      title: 'Not permitted',
    });
}

async function requireRoom(ctx: Context, doc: Document): Promise<void> {
  const row = await ctx.db.get(sql`
    select count(*) as "count" from "Saved View"
    where "owner" = ${ctx.user.name} and "reference_doctype" = ${String(doc['reference_doctype'])}`);
  if (Number(row?.['count']) < LIMITS.savedViews) return;
  throw new ServiceError(
    'ValidationError',
    `A user may have at most ${LIMITS.savedViews} views of a doctype`,
  );
}

function checkParts(doc: Document): void {
  for (const fieldname of ['filters', 'or_filters', 'columns', 'settings']) {
    const text = doc[fieldname];
    if (typeof text !== 'string' || text === '') continue;
    if (Buffer.byteLength(text) > LIMITS.savedViewBytes) {
      throw new ServiceError(
        'ValidationError',
        `${fieldname} may have at most ${LIMITS.savedViewBytes} bytes`,
      );
    }
    const value: unknown = JSON.parse(text);
    const fits =
      fieldname === 'columns'
        ? isColumns(value)
        : isRecord(value) || (fieldname !== 'settings' && Array.isArray(value));
    if (!fits) throw new ServiceError('ValidationError', `${fieldname} is not a valid setting of a list`);
  }
}

function isColumns(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length <= LIMITS.selectedFields &&
    value.every((column) => isRecord(column) && typeof column['fieldname'] === 'string')
  );
}
