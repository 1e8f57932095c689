import { mayReadDoctypeRecord } from '../access/permission.ts';
import { isSystemManager } from '../access/user.ts';
import { join, sql } from '../db/sql.ts';
import type { Controller } from '../document/contract.ts';

/**
 * Read permission for definitions. Every signed-in user has the right to read DocType; this controller
 * narrows it to doctypes whose documents they may read. Tools need these definitions, and hiding them would
 * protect nothing.
 */
export const doctypePermission: Controller = {
  hasPermission(ctx, doc, right) {
    if (right !== 'read' && right !== 'select') return true;
    const doctype = ctx.doctypes.find(doc.name);
    // Only its author may see a definition that is not in force yet.
    return doctype ? mayReadDoctypeRecord(ctx.user, doctype, ctx.doctypes) : isSystemManager(ctx.user);
  },

  rowFilter(ctx) {
    const { scope } = ctx.user;
    if (isSystemManager(ctx.user) && (scope === null || scope.doctypes === null)) return null;
    const names = ctx.doctypes
      .all()
      .filter((doctype) => mayReadDoctypeRecord(ctx.user, doctype, ctx.doctypes))
      .map((doctype) => sql`${doctype.name}`);
    return names.length === 0 ? sql`1 = 0` : sql`"name" in (${join(names)})`;
  },
};
