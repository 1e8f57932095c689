import { COMMAND_LINE } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../document/contract.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import { OutOfSpace } from '../kernel/out-of-space.ts';
import { whereFull } from '../site/space-watch.ts';
import { type OpenSite, type OpenSiteOptions, openSite } from '../site/start/open-site.ts';
import { StartError } from '../site/start-error.ts';

/**
 * Runs `work` as Administrator on an existing site, in one transaction. A running server sees changed users
 * and keys within a second.
 */
export function withSite<T>(config: Config, work: (ctx: Context, site: OpenSite) => Promise<T>): Promise<T> {
  return withOpenSite(config, (site) =>
    unitOfWork(site, ADMINISTRATOR, (ctx) => work(ctx, site), COMMAND_LINE),
  );
}

/**
 * Works on an existing site without one surrounding transaction: each batch commits on its own, so the
 * command can be interrupted.
 */
export async function withOpenSite<T>(
  config: Config,
  work: (site: OpenSite) => Promise<T>,
  options: Pick<OpenSiteOptions, 'patient'> = {},
): Promise<T> {
  const site = await openSite(config, { ...options, tool: true });
  try {
    return await work(site);
  } catch (error) {
    if (!(error instanceof OutOfSpace)) throw error;
    throw new StartError(whereFull(config, error.of), { cause: error });
  } finally {
    await site.close();
  }
}
