import type { Provenance } from '../../access/audit.ts';
import type { CurrentUser } from '../../access/user.ts';
import type { DocType } from '../../doctype/doctype.ts';
import type { Context, Site } from '../../document/contract.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import type { LoadMode } from '../data-load.ts';

/** How an ordinary import saves records. */
export interface SaveOptions {
  readonly site: Site;
  /** Who imports, with this user's rights. */
  readonly user: CurrentUser;
  readonly origin: Provenance;
  readonly doctype: DocType;
  readonly mode: LoadMode;
  /** `name`, or a unique field: finds the document that a record updates. */
  readonly keyField: string;
  /** False: no hooks of apps. */
  readonly hooks: boolean;
  /** False: no webhooks and notifications. */
  readonly webhooks: boolean;
}

/** One unit of work of an import. */
export function importUnit<T>(
  { site, user, origin, hooks, webhooks }: SaveOptions,
  work: (ctx: Context) => Promise<T>,
): Promise<T> {
  // The rest of the site stays as it is, also what changes while it runs.
  const quiet: Site = hooks
    ? site
    : Object.create(site, { controllers: { value: site.controllersWithoutHooks } });
  return unitOfWork(quiet, user, work, webhooks ? origin : { ...origin, isImport: true });
}
