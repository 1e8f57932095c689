import { sharedMillis } from '../../db/shared-clock.ts';
import { sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import type { Context, Method } from '../../document/contract.ts';
import { load } from '../../document/load/load.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { requireReading } from '../notifications/mentionable.ts';
import { peopleOf } from '../notifications/people.ts';

const OF = {
  doctype: { type: 'Data', required: true },
  name: { type: 'Data', required: true },
} as const;

/**
 * Who views a document now. Viewing requires the right to read it. Leaving requires nothing, because the document
 * or the right may be gone, and answers alike in all cases. Both tell only of the caller.
 */
export const presenceMethods: Readonly<Record<string, Method>> = {
  'chancery.view_document': defineMethod({
    http: ['POST'],
    description: 'Say that you view a document, again within a minute; returns the other users who do',
    args: OF,
    async run(ctx, { doctype: doctypeName, name: given }) {
      await requireReading(ctx, doctypeName, given);
      const doctype = ctx.doctypes.get(doctypeName);
      const name = given.normalize('NFC');
      await enter(ctx, doctype, name);
      const users = await othersAt(ctx, doctype, name);
      const viewers = await peopleOf(ctx.db, users.slice(0, LIMITS.viewersShown));
      return { viewers, count: users.length };
    },
  }),
  'chancery.leave_document': defineMethod({
    http: ['POST'],
    description: 'Say that you view a document no longer',
    args: OF,
    async run(ctx, { doctype: doctypeName, name: given }) {
      const doctype = ctx.doctypes.find(doctypeName);
      if (!doctype) return null;
      const name = given.normalize('NFC');
      const gone = await ctx.db.run(
        sql`delete from "_viewer" where "id" = ${idOf(doctype, name, ctx.user.name)}`,
      );
      if (gone > 0) await announceView(ctx, doctype, name);
      return null;
    },
  }),
};

/** Prolongs the caller's entry, or makes one, which the change feed tells. */
async function enter(ctx: Context, doctype: DocType, name: string): Promise<void> {
  const now = sharedMillis(ctx.db, ctx.site.clock);
  const id = idOf(doctype, name, ctx.user.name);
  const row = await ctx.db.get(sql`select "until" - ${now} as "left" from "_viewer" where "id" = ${id}`);
  const left = row ? Number(row['left']) : 0;
  // Two windows of one user need one change.
  if (left > LIMITS.viewTime * 0.9) return;
  if (left <= 0) await makeRoom(ctx);
  await ctx.db.run(
    sql`insert into "_viewer" ("id", "doctype", "name", "user", "until")
        values (${id}, ${doctype.name}, ${name}, ${ctx.user.name}, ${now} + ${LIMITS.viewTime})
        on conflict ("id") do update set "until" = excluded."until"`,
  );
  if (left <= 0) await announceView(ctx, doctype, name);
}

// Removes what has expired, and the user's oldest entries beyond the limit.
async function makeRoom(ctx: Context): Promise<void> {
  await ctx.db.run(sql`delete from "_viewer" where "until" <= ${sharedMillis(ctx.db, ctx.site.clock)}`);
  await ctx.db.run(
    sql`delete from "_viewer" where "id" in (select "id" from "_viewer" where "user" = ${ctx.user.name}
        order by "until" desc limit ${LIMITS.viewsPerUser} offset ${LIMITS.viewsPerUser - 1})`,
  );
}

async function othersAt(ctx: Context, doctype: DocType, name: string): Promise<string[]> {
  const rows = await ctx.db.all(
    sql`select "user" from "_viewer" where "name" = ${name} and "doctype" = ${doctype.name}
        and "until" > ${sharedMillis(ctx.db, ctx.site.clock)} and "user" <> ${ctx.user.name}
        order by "user" limit ${LIMITS.viewersCounted}`,
  );
  return rows.map((row) => String(row['user']));
}

async function announceView(ctx: Context, doctype: DocType, name: string): Promise<void> {
  const loaded = await load(ctx, doctype, name);
  if (!loaded) return;
  const { doc, revision } = loaded;
  ctx.events.push({ name: 'on_view', doctype, doc, before: doc, secrets: [], revision });
}

function idOf(doctype: DocType, name: string, user: string): string {
  return JSON.stringify([doctype.name, name, user]);
}
