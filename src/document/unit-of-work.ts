import type { Origin } from '../access/audit.ts';
import { requireWritingScope } from '../access/key-scope.ts';
import type { CurrentUser } from '../access/user.ts';
import { isRefusal } from '../kernel/errors.ts';
import type { Context, Site } from './context.ts';

type Effect = () => void | Promise<void>;

/**
 * One transaction: the work, then the commit listeners, then the commit, then the effects.
 * Resolves once the change is durable. `work` may run again after a serialization failure or for `ctx.beforehand`, each
 * time with a fresh context. Keep the network out of it: on SQLite the only writer waits.
 * Whoever has a credential that only reads has none. `origin` is where a request came from, for the audit log.
 */
export async function unitOfWork<T>(
  site: Site,
  user: CurrentUser,
  work: (ctx: Context) => Promise<T>,
  origin?: Origin,
): Promise<T> {
  requireWritingScope(user);
  const ready = new Map<string, unknown>();
  // What was made beforehand outlives the attempts, and goes when the last one fails.
  const undos: Effect[] = [];
  try {
    for (;;) {
      try {
        return await tryUnit(site, user, work, ready, origin);
      } catch (error) {
        if (!(error instanceof NotReady)) throw error;
        const { key, prepare, undo } = error;
        const made = await prepare();
        ready.set(key, made);
        undos.push(() => undo(made));
      }
    }
  } catch (error) {
    // Otherwise it may be committed, and what it needs is collected when it is not.
    if (isRefusal(error)) runAll(site, undos, 'rollback');
    throw error;
  }
}

/** Rolls a unit back until something slow is done. */
class NotReady extends Error {
  readonly key: string;
  readonly prepare: () => Promise<unknown>;
  readonly undo: (made: unknown) => void | Promise<void>;
  constructor(key: string, prepare: () => Promise<unknown>, undo: (made: unknown) => void | Promise<void>) {
    super('work that does not belong into a transaction');
    this.key = key;
    this.prepare = prepare;
    this.undo = undo;
  }
}

// A unit that wants more than this does the rest inside: it would run anew for each.
const MOST_BEFOREHAND = 5;

async function tryUnit<T>(
  site: Site,
  user: CurrentUser,
  work: (ctx: Context) => Promise<T>,
  ready: ReadonlyMap<string, unknown>,
  origin: Origin | undefined,
): Promise<T> {
  async function beforehand<R>(
    key: string,
    prepare: () => Promise<R>,
    undo: (made: R) => void | Promise<void> = () => {},
  ): Promise<R> {
    // What was made under a key is what its `prepare` makes.
    if (ready.has(key)) return ready.get(key) as R;
    if (ready.size < MOST_BEFOREHAND) throw new NotReady(key, prepare, (made) => undo(made as R));
    const made = await prepare();
    undos.push(() => undo(made));
    return made;
  }
  let effects: Effect[] = [];
  let undos: Effect[] = [];
  try {
    const result = await site.database.transaction(async (db) => {
      effects = [];
      undos = [];
      const ctx: Context = {
        site,
        user,
        ...(origin && { origin }),
        db,
        doctypes: site.doctypes,
        depth: 0,
        events: [],
        beforehand,
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
