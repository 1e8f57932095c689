import { sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import type { Context, Controller } from '../document/contract.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';

/** User Permissions. `access/row-rule.ts` applies them; this controller validates them. */
export const userPermissionController: Controller = {
  async validate(doc, ctx, { before }) {
    if (doc['user'] === 'Administrator' || doc['user'] === 'Guest') {
      throw new ServiceError('ValidationError', `User Permissions have no effect on ${doc['user']}`);
    }
    const target = ctx.doctypes.find(String(doc['allow']));
    if (target && (target.istable || target.issingle)) {
      throw new ServiceError('ValidationError', `User Permissions cannot be about ${target.name}`);
    }
    if (doc['apply_to_all_doctypes'] === 1) doc['applicable_for'] = null;
    else if (!doc['applicable_for']) {
      throw new ServiceError('MandatoryError', 'Applicable For is required, or Apply To All Document Types');
    }
    await requireDistinct(ctx, doc);
    if (!before) await requireRoom(ctx, String(doc['user']));
  },
};

async function requireDistinct(ctx: Context, doc: Document): Promise<void> {
  const others = await ctx.db.all(
    sql`select "for_value", "is_default", "applicable_for" from "User Permission"
        where "user" = ${String(doc['user'])} and "allow" = ${String(doc['allow'])} and "name" <> ${doc.name}`,
  );
  const alike = others.filter(
    (other) => (other['applicable_for'] ?? null) === (doc['applicable_for'] ?? null),
  );
  if (alike.some((other) => other['for_value'] === doc['for_value'])) {
    throw new ServiceError('DuplicateEntryError', 'User permission already exists');
  }
  if (doc['is_default'] === 1 && alike.some((other) => other['is_default'] === 1)) {
    throw new ServiceError('ValidationError', `${doc['user']} already has a default of ${doc['allow']}`);
  }
}

async function requireRoom(ctx: Context, user: string): Promise<void> {
  const row = await ctx.db.get(sql`select count(*) as "count" from "User Permission" where "user" = ${user}`);
  if (Number(row?.['count']) < LIMITS.userPermissions) return;
  throw new ServiceError(
    'ValidationError',
    `${user} already has ${LIMITS.userPermissions} User Permissions, the maximum`,
  );
}
