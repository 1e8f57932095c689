import type { Provenance } from '../../access/audit.ts';
import { requireWritingScope } from '../../access/key-scope.ts';
import type { CurrentUser } from '../../access/user.ts';
import { isOutcomeUnknown, isRefusal } from '../../kernel/errors.ts';
import type { CacheKind, Context, Site } from '../contract.ts';

type Effect = () => void | Promise<void>;

/**
 * One transaction: the work, the commit listeners, the commit, then the effects. Resolves once the change is
 * durable. `work` may run again after a serialization failure or for `ctx.beforehand`, each time with a new
 * context. Never wait for the network in it: on SQLite it blocks the only writer. Credentials for reading
 * only are refused. `origin` is the provenance of the request, for the audit log.
 */
export async function unitOfWork<T>(
  site: Site,
  user: CurrentUser,
  work: (ctx: Context) => Promise<T>,
  origin?: Provenance,
): Promise<T> {
  requireWritingScope(user);
  const prepared: Prepared = { ready: new Map(), undos: [] };
  const { ready, undos } = prepared;
  try {
    for (;;) {
      try {
        return await tryUnit(site, user, work, prepared, origin);
      } catch (error) {
        if (!(error instanceof NotReady)) throw error;
        const { key, prepare, undo } = error;
        const made = await prepare();
        ready.set(key, made);
        undos.push(() => undo(made));
      }
    }
  } catch (error) {
    // Otherwise it may have been committed; if not, its effects are collected later.
    if (isRefusal(error)) runAll(site, undos, 'rollback');
    throw error;
  }
}

/** Results of slow work. They survive retries, and are undone when the last one fails. */
interface Prepared {
  readonly ready: Map<string, unknown>;
  readonly undos: Effect[];
}

/** Rolls a unit back until slow work is done. */
class NotReady extends Error {
  readonly key: string;
  readonly prepare: () => Promise<unknown>;
  readonly undo: (made: unknown) => void | Promise<void>;
  constructor(key: string, prepare: () => Promise<unknown>, undo: (made: unknown) => void | Promise<void>) {
    super('work that must run outside the transaction');
    this.key = key;
    this.prepare = prepare;
    this.undo = undo;
  }
}

// Beyond this number the unit does the work inside, since each item means another run.
const MOST_BEFOREHAND = 5;

async function tryUnit<T>(
  site: Site,
  user: CurrentUser,
  work: (ctx: Context) => Promise<T>,
  prepared: Prepared,
  origin: Provenance | undefined,
): Promise<T> {
  async function beforehand<R>(
    key: string,
    prepare: () => Promise<R>,
    undo: (made: R) => void | Promise<void> = () => {},
  ): Promise<R> {
    // The value stored under `key` came from the same `prepare`, so the cast is safe.
    const { ready } = prepared;
    if (ready.has(key)) return ready.get(key) as R;
    if (ready.size < MOST_BEFOREHAND) throw new NotReady(key, prepare, (made) => undo(made as R));
    const made = await prepare();
    prepared.undos.push(() => undo(made));
    return made;
  }
  let effects: Effect[] = [];
  let undos: Effect[] = [];
  let stale = new Set<CacheKind>();
  try {
    const result = await site.database.transaction(async (db) => {
      effects = [];
      undos = [];
      stale = new Set();
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
        dropCaches: (kind) => stale.add(kind),
        onRollback: (undo) => undos.push(undo),
      };
      const value = await work(ctx);
      if (ctx.events.length > 0) {
        for (const listen of site.commitListeners) await listen(ctx);
      }
      return value;
    });
    runAll(site, effects, 'after commit');
    for (const kind of stale) await site.dropCaches(kind);
    return result;
  } catch (error) {
    runAll(site, undos, 'rollback');
    // It may have been committed: what it would have replaced in memory is read again.
    if (isOutcomeUnknown(error)) for (const kind of stale) await site.dropCaches(kind);
    throw error;
  }
}

// The outcome is final, so a failing effect is logged and changes nothing.
function runAll(site: Site, effects: readonly Effect[], where: string): void {
  for (const effect of effects) {
    Promise.resolve()
      .then(effect)
      .catch((error: unknown) => site.observe({ kind: 'unexpected', where, error }));
  }
}
