import { isSystemManager } from '../access/user.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import type { Context, Controller } from '../document/contract.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';

/**
 * Dashboards. The users of its roles see one; without roles, everybody. It grants no access: its cards are
 * shared views, and each viewer runs them with their own rights.
 */
export const dashboardController: Controller = {
  async validate(doc, ctx) {
    const cards = rowsOf(doc['cards']);
    if (cards.length > LIMITS.dashboardCards) {
      throw new ServiceError(
        'ValidationError',
        `A dashboard has at most ${LIMITS.dashboardCards} cards; this one has ${cards.length}`,
      );
    }
    await checkViews(ctx, cards);
  },

  async hasPermission(ctx, doc, right) {
    if (isSystemManager(ctx.user) || right === 'create') return true;
    const row = await ctx.db.get(sql`
      select 1 as "one" from "Dashboard" where "name" = ${doc.name} and ${ofRoles(ctx)}`);
    return row !== undefined;
  },

  rowFilter: (ctx) => (isSystemManager(ctx.user) ? null : ofRoles(ctx)),
};

/** On the unqualified columns of `Dashboard`: it has a role of the user, or none at all. */
function ofRoles({ user }: Context): Sql {
  const named = sql`select r."parent" from "Has Role" r where r."parenttype" = 'Dashboard'`;
  const roles = join([...user.roles].map((role) => sql`${role}`));
  return sql`("name" not in (${named}) or "name" in (${named} and r."role" in (${roles})))`;
}

/** Cards show what others may see: private views would be empty for them. */
async function checkViews(ctx: Context, cards: readonly Document[]): Promise<void> {
  const names = [...new Set(cards.map((card) => String(card['view'] ?? '')))].filter(Boolean);
  if (names.length === 0) return;
  const rows = await ctx.db.all(sql`
    select "name", "type", "is_shared" from "Saved View" where "name" in (${join(names.map((name) => sql`${name}`))})`);
  const views = new Map(rows.map((row) => [String(row['name']), row]));
  for (const [at, card] of cards.entries()) {
    const view = views.get(String(card['view']));
    // The check of links refuses views that do not exist.
    if (!view) continue;
    if (view['is_shared'] !== 1) throw problem(at, 'is private: share it first');
    if (card['type'] !== 'List' && view['type'] !== 'Report')
      throw problem(at, 'is not a report: show it as a list');
  }
}

function problem(at: number, reason: string): ServiceError {
  return new ServiceError('ValidationError', `The view of card ${at + 1} ${reason}`);
}

function rowsOf(value: unknown): readonly Document[] {
  return Array.isArray(value) ? value : [];
}
