import { mayReadDoctypeRecord } from '../access/permission.ts';
import { isSystemManager } from '../access/user.ts';
import { ident, join, sql } from '../db/sql.ts';
import type { Controller } from '../document/controller.ts';

/**
 * Who sees definitions: everyone signed in has the right to read DocType, and this narrows it to the doctypes whose
 * documents they may read. Tools need the definition of what they work with, and nothing is gained by hiding it.
 */
export const doctypePermission: Controller = {
  hasPermission(ctx, doc, right) {
    if (right !== 'read' && right !== 'select') return true;
    const doctype = ctx.doctypes.find(doc.name);
    // A definition that is not in force yet is its author's business.
    return doctype ? mayReadDoctypeRecord(ctx.user, doctype, ctx.doctypes) : isSystemManager(ctx.user);
  },

  rowFilter(ctx) {
    const { scope } = ctx.user;
    if (isSystemManager(ctx.user) && (scope === null || scope.doctypes === null)) return null;
    const names = ctx.doctypes
      .all()
      .filter((doctype) => mayReadDoctypeRecord(ctx.user, doctype, ctx.doctypes))
      .map((doctype) => sql`${doctype.name}`);
    return names.length === 0 ? sql`1 = 0` : sql`${ident('name')} in (${join(names)})`;
  },
};
