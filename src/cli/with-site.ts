import { COMMAND_LINE } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../document/context.ts';
import { unitOfWork } from '../document/unit-of-work.ts';
import { type OpenSite, openSite } from '../site/open-site.ts';

/**
 * Does one piece of work as Administrator on an existing site, in one transaction. A server may be running beside:
 * it sees changed users and keys within a second.
 */
export function withSite<T>(config: Config, work: (ctx: Context, site: OpenSite) => Promise<T>): Promise<T> {
  return withOpenSite(config, (site) =>
    unitOfWork(site, ADMINISTRATOR, (ctx) => work(ctx, site), COMMAND_LINE),
  );
}

/** Works on an existing site without a transaction around it all: batches of their own are what makes it safe to stop. */
export async function withOpenSite<T>(config: Config, work: (site: OpenSite) => Promise<T>): Promise<T> {
  const site = await openSite(config, { tool: true });
  try {
    return await work(site);
  } finally {
    await site.close();
  }
}
