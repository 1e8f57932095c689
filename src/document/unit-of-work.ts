import type { CurrentUser } from '../access/user.ts';
import type { Context, Site } from './context.ts';

type Effect = () => void | Promise<void>;

/**
 * One transaction: the work, then the commit listeners, then the commit, then the effects.
 * Resolves once the change is durable. `work` may run again after a serialization failure, each time with a fresh
 * context. Keep the network out of it: on SQLite the only writer waits.
 */
export async function unitOfWork<T>(
  site: Site,
  user: CurrentUser,
  work: (ctx: Context) => Promise<T>,
): Promise<T> {
  let effects: Effect[] = [];
  let undos: Effect[] = [];
  try {
    const result = await site.database.transaction(async (db) => {
      effects = [];
      undos = [];
      const ctx: Context = {
        site,
        user,
        db,
        doctypes: site.doctypes,
        depth: 0,
        events: [],
        afterCommit: (effect) => effects.push(effect),
        onRollback: (undo) => undos.push(undo),
      };
      const value = await work(ctx);
      if (ctx.events.length > 0) {
        for (const listen of site.commitListeners) await listen(ctx);
      }
      return value;
    });
    runAll(site, effects, 'after commit');
    return result;
  } catch (error) {
    runAll(site, undos, 'rollback');
    throw error;
  }
}

// The outcome is settled by now, so a failing effect is observed and changes nothing.
function runAll(site: Site, effects: readonly Effect[], where: string): void {
  for (const effect of effects) {
    Promise.resolve()
      .then(effect)
      .catch((error: unknown) => site.observe({ kind: 'unexpected', where, error }));
  }
}
