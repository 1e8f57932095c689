import { sql } from '../db/sql.ts';
import { asSystem } from '../document/context.ts';
import type { Controller } from '../document/controller.ts';
import { updateDocument } from '../document/update.ts';

/** Role Profiles: what they say of roles is so for all their users, in the same transaction. */
export const roleProfileController: Controller = {
  async onUpdate(doc, ctx) {
    const users = await ctx.db.all(
      sql`select "name" from "User" where "role_profile_name" = ${doc.name} order by "name"`,
    );
    // Saving a user takes the roles over.
    for (const user of users) await updateDocument(asSystem(ctx), 'User', String(user['name']), {});
  },
};
