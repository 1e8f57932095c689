import { sql } from '../db/sql.ts';
import type { Controller } from '../document/contract.ts';
import { ServiceError } from '../kernel/errors.ts';

/** Roles with a meaning in the permission rules. */
const AUTOMATIC_ROLES: readonly string[] = ['Administrator', 'System Manager', 'Desk User', 'All', 'Guest'];

export const roleController: Controller = {
  validate(doc) {
    if (AUTOMATIC_ROLES.includes(doc.name) && doc['disabled'] === 1) {
      throw new ServiceError('ValidationError', `Role ${doc.name} cannot be disabled`);
    }
  },

  // Users without another desk role become Website Users.
  async onUpdate(doc, ctx, { before }) {
    if (before?.['desk_access'] !== 1 || doc['desk_access'] === 1) return;
    await ctx.db.run(
      sql`update "User" set "user_type" = 'Website User', "_revision" = "_revision" + 1
          where "user_type" = 'System User' and "name" <> 'Administrator'
            and "name" in (select "parent" from "Has Role" where "parenttype" = 'User' and "role" = ${doc.name})
            and not exists (select 1 from "Has Role" as "h" join "Role" as "r" on "r"."name" = "h"."role"
              where "h"."parenttype" = 'User' and "h"."parent" = "User"."name" and "r"."desk_access" = 1)`,
    );
  },

  onTrash(doc) {
    if (AUTOMATIC_ROLES.includes(doc.name)) {
      throw new ServiceError('ValidationError', `Role ${doc.name} cannot be deleted`);
    }
  },
};
