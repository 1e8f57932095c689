import { OWN_WORK } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import { asSystem, type Context, type Site } from '../document/context.ts';
import { unitOfWork } from '../document/unit-of-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import { lockApps } from './settings-table.ts';

/** Each try waits for a lock as long as any statement does: `LIMITS.lockTimeout`. Together ten minutes. */
const TRIES = 60;

/**
 * One unit of work on the system's own account that one node does at a time: of nodes that start together, the others wait, and
 * find in the tables what the first one did. No webhook hears of it.
 */
export async function inTurn<T>(site: Site, work: (ctx: Context) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    let begun = false;
    try {
      const once = async (ctx: Context) => {
        await lockApps(ctx.db);
        begun = true;
        return work(asSystem(ctx));
      };
      return await unitOfWork(site, ADMINISTRATOR, once, { ...OWN_WORK, isImport: true });
    } catch (error) {
      const busy = error instanceof ServiceError && error.type === 'ServiceUnavailableError';
      if (!busy || begun || attempt === TRIES) throw error;
    }
  }
}
