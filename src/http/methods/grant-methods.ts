import { audit } from '../../access/audit.ts';
import { sql } from '../../db/sql.ts';
import { formatTimestamp, nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { textArgument } from '../arguments.ts';
import { requireWholeUser } from '../prove-password.ts';
import { type BuiltIns, reading, writing } from './built-in.ts';
import { userToManage } from './session-methods.ts';

/** What a user lets other programs do, and taking it back. */
export const grantMethods: BuiltIns = {
  'chancery.auth.grants': reading(async (ctx, args, { site }) => {
    const user = await userToManage(ctx, args);
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
  }),
  'chancery.auth.end_grant': writing(['POST'], async (ctx, args, call) => {
    requireWholeUser(call.request);
    const user = await userToManage(ctx, args);
    const id = textArgument(args, 'id');
    const row = await ctx.db.get(
      sql`select "client" from "_oauth_grant" where "id" = ${id} and "user" = ${user}`,
    );
    if (!row) throw new ServiceError('DoesNotExistError', 'There is no such grant');
    await ctx.db.run(sql`delete from "_oauth_grant" where "id" = ${id} and "user" = ${user}`);
    const about = { doctype: 'OAuth Client', name: String(row['client']), details: { of: user } };
    await audit(ctx, { event: 'oauth_revoked', ...about });
    ctx.afterCommit(() => call.site.authenticator.forget());
    return null;
  }),
};
