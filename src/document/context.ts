import type { Provenance } from '../access/audit.ts';
import { ADMINISTRATOR, type CurrentUser } from '../access/user.ts';
import { formatTimestamp } from '../kernel/clock.ts';
import type { Context, Site } from './contract.ts';

/** A context for reads: committed data, no transaction. */
export function readContext(site: Site, user: CurrentUser, origin?: Provenance): Context {
  const ctx: Context = {
    site,
    user,
    db: site.database.reader,
    doctypes: site.doctypes,
    depth: 0,
    events: [],
    beforehand: refuse,
    afterCommit: refuse,
    dropCaches: refuse,
    onRollback: refuse,
  };
  return origin ? { ...ctx, origin } : ctx;
}

/** True for a context of `readContext`. */
export function isReadContext(ctx: Context): boolean {
  return ctx.onRollback === refuse;
}

function refuse(): never {
  throw new Error('a read context has no transaction');
}

/** The same transaction as Administrator, for changes by the system itself. */
export function asSystem(ctx: Context): Context {
  return { ...ctx, user: ADMINISTRATOR, system: true };
}

/** True when server or app code acts and not a client: in a hook, and as the system. */
export function isOwnWork(ctx: Context): boolean {
  return ctx.depth > 0 || ctx.system === true;
}

/** The same question inside a hook of the document, where the depth is one when a client acts. */
export function isOwnWorkInHook(ctx: Context): boolean {
  return ctx.depth > 1 || ctx.system === true;
}

/** Now, in the stored form, in the site's time zone. */
export function timestamp(site: Site): string {
  return formatTimestamp(site.clock.micros(), site.config.timeZone);
}
