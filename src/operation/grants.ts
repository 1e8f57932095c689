import { audit } from '../access/audit.ts';
import { sql } from '../db/sql.ts';
import { formatTimestamp, nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { OPTIONAL_TEXT, TEXT } from './arguments.ts';
import { defineOperation, type Operation } from './operation.ts';
import { NOTHING, ROWS } from './result.ts';
import { userToManage } from './users.ts';

/** The OAuth grants of a user: listing and revoking them. */
export const grantOperations: readonly Operation[] = [
  defineOperation({
    name: 'chancery.auth.grants',
    summary: 'List the programs that the user has authorized, and their scopes',
    effect: 'read',
    access: 'user',
    args: { user: OPTIONAL_TEXT },
    result: ROWS,
    run: async (ctx, args, { site }) => {
      const user = await userToManage(ctx, args.user);
      const now = nowMillis(site.clock);
      const rows = await ctx.db.all(sql`
        select "g"."id", "g"."client", "c"."app_name", "g"."scope", "g"."created_at", "g"."expires_at"
        from "_oauth_grant" as "g" join "OAuth Client" as "c" on "c"."name" = "g"."client"
        where "g"."user" = ${user} and "g"."expires_at" > ${now}
        order by "g"."created_at" desc, "g"."id"`);
      const shown = (millis: unknown) =>
        formatTimestamp(Number(millis) * 1000, site.config.timeZone).slice(0, 19);
      return rows.map((row) => ({
        id: row['id'],
        client: row['client'],
        app_name: row['app_name'],
        scope: row['scope'],
        created: shown(row['created_at']),
        ends_unused: shown(row['expires_at']),
      }));
    },
  }),

  defineOperation({
    name: 'chancery.auth.end_grant',
    summary: 'Revoke the access of a program',
    effect: 'write',
    access: 'user',
    wholeUser: true,
    http: ['POST'],
    args: { id: TEXT, user: OPTIONAL_TEXT },
    result: NOTHING,
    run: async (ctx, { id, user: named }) => {
      const user = await userToManage(ctx, named);
      const row = await ctx.db.get(
        sql`select "client" from "_oauth_grant" where "id" = ${id} and "user" = ${user}`,
      );
      if (!row) throw new ServiceError('DoesNotExistError', 'There is no such grant');
      await ctx.db.run(sql`delete from "_oauth_grant" where "id" = ${id} and "user" = ${user}`);
      const about = { doctype: 'OAuth Client', name: String(row['client']), details: { of: user } };
      await audit(ctx, { event: 'oauth_revoked', ...about });
      ctx.dropCaches('users');
      return null;
    },
  }),
];
