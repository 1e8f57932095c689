import { OWN_WORK } from '../../../access/audit.ts';
import { ADMINISTRATOR } from '../../../access/user.ts';
import { asSystem } from '../../../document/context.ts';
import type { Context, Site } from '../../../document/contract.ts';
import { unitOfWork } from '../../../document/write/unit-of-work.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { lockApps } from '../../settings/settings-table.ts';

/** Each attempt waits for a lock for `LIMITS.lockTimeout`, like any statement; together ten minutes. */
const TRIES = 60;

/**
 * Runs one unit of work of the system itself, on one node at a time: of several starting nodes, the others
 * wait, and find the results of the first in the tables. It triggers no webhook.
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
