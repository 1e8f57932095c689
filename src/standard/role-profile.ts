import { sql } from '../db/sql.ts';
import { asSystem } from '../document/context.ts';
import type { Controller } from '../document/contract.ts';
import { updateDocument } from '../document/verbs/update.ts';

/** Role Profiles. A change of the roles applies to all users of the profile in the same transaction. */
export const roleProfileController: Controller = {
  async onUpdate(doc, ctx) {
    const users = await ctx.db.all(
      sql`select "name" from "User" where "role_profile_name" = ${doc.name} order by "name"`,
    );
    // Saving a user copies the roles.
    for (const user of users) await updateDocument(asSystem(ctx), 'User', String(user['name']), {});
  },
};
