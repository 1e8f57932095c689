import type { Config } from '../../../config/config.ts';
import type { DoctypeRegistry } from '../../../doctype/doctype.ts';
import type { Storage } from '../../../file/storage.ts';
import { standardApp } from '../../../standard/standard-app.ts';
import type { App } from '../../app.ts';
import { loadApp } from '../apps/load-app.ts';
import {
  type DefinedApp,
  defineDoctypes,
  metaRegistry,
  type OwnerOf,
  ownerOf,
  requireDistinctApps,
} from './defined-apps.ts';

/** The apps of a site and its metadata doctypes. */
export interface SiteApps {
  /** The standard app first. */
  readonly apps: readonly App[];
  readonly defined: readonly DefinedApp[];
  /** The doctypes that describe doctypes. */
  readonly meta: DoctypeRegistry;
  readonly owner: OwnerOf;
}

/** Loads the configured apps, or the given ones, with their definitions. @throws StartError */
export async function defineApps(
  config: Config,
  storage: Storage,
  given?: readonly App[],
): Promise<SiteApps> {
  const loaded = given ?? (await Promise.all(config.apps.map((name) => loadApp(name, process.cwd()))));
  const apps: readonly App[] = [standardApp({ storage }), ...loaded];
  const [standard, ...others] = apps.map(defineDoctypes);
  if (!standard) throw new Error('there is no standard app');
  const defined = [standard, ...others];
  requireDistinctApps(defined);
  return { apps, defined, meta: metaRegistry(standard), owner: ownerOf(defined) };
}
