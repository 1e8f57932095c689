import { ADMINISTRATOR } from '../access/user.ts';
import { asSystem, type Context, type Site } from '../document/context.ts';
import { unitOfWork } from '../document/unit-of-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import { lockApps } from './settings-table.ts';

/** Each try waits for a lock as long as any statement does: `LIMITS.lockTimeout`. Together ten minutes. */
const TRIES = 60;

/**
 * One unit of work on the system's own account that one node does at a time: of nodes that start together, the others wait, and
 * find in the tables what the first one did.
 */
export async function inTurn<T>(site: Site, work: (ctx: Context) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    let begun = false;
    try {
      return await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
        await lockApps(ctx.db);
        begun = true;
        return work(asSystem(ctx));
      });
    } catch (error) {
      const busy = error instanceof ServiceError && error.type === 'ServiceUnavailableError';
      if (!busy || begun || attempt === TRIES) throw error;
    }
  }
}
