import { ADMINISTRATOR } from '../access/user.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../document/context.ts';
import { unitOfWork } from '../document/unit-of-work.ts';
import { openSite } from '../site/open-site.ts';

/**
 * Does one piece of work as Administrator on an existing site, in one transaction. A server may be running beside:
 * it sees changed users and keys within a second.
 */
export async function withSite<T>(config: Config, work: (ctx: Context) => Promise<T>): Promise<T> {
  const site = await openSite(config, { tool: true });
  try {
    return await unitOfWork(site, ADMINISTRATOR, work);
  } finally {
    await site.close();
  }
}
