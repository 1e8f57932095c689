import type { Connection } from '../../db/database.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { App } from '../app.ts';
import { openSiteDatabase } from '../open-site-database.ts';
import { checkApps } from '../schema/apps/check-apps.ts';
import { defineApps } from '../schema/definitions/define-apps.ts';
import { changedApps, type DefinedApp } from '../schema/definitions/defined-apps.ts';
import { loadRegistry } from '../schema/definitions/load-registry.ts';
import { type Metadata, startMetadata } from '../schema/definitions/metadata.ts';
import type { Stamp } from '../schema/definitions/raw-rows.ts';
import { checkPatches } from '../schema/migration/patches.ts';
import { syncDoctypes } from '../schema/migration/sync-doctypes.ts';
import { loadSettings } from '../settings/settings-table.ts';
import { StartError } from '../start-error.ts';
import type { Store } from './open-store.ts';
import type { Start } from './start.ts';

/** Options of a start for the tables. */
export interface SchemaOptions {
  /** Apps in place of those named in `config.apps`. */
  readonly apps?: readonly App[];
  /** Plans every table again, even if no definition changed since the last start. */
  readonly planEverything?: boolean;
  /** With `planEverything`: drops columns and tables that no definition has. */
  readonly dataLoss?: boolean;
}

/** The apps, and the current doctypes. */
export interface Schema {
  readonly apps: readonly App[];
  readonly metadata: Metadata;
}

/** A migration uses most pages once, and its memory stays with the process. */
const MIGRATION_CACHE_KIB = 8 * 1024;

/** Loads the apps, brings the tables in line with their doctypes, and reads the doctypes. */
export async function openSchema(
  start: Start,
  { database, storage }: Store,
  stamp: Stamp,
  options: SchemaOptions,
): Promise<Schema> {
  const { config, observe, isTool } = start;
  const { apps, defined, meta, owner } = await defineApps(config, storage, options.apps);
  for (const app of apps) checkPatches(app);
  if (!isTool) {
    const patience = { transactionTimeout: LIMITS.migrationTimeout, cacheKib: MIGRATION_CACHE_KIB };
    const openPatiently = () => openSiteDatabase(config, patience);
    const { planEverything: everything = false, dataLoss = false } = options;
    const needs = { database, openPatiently, apps: defined, meta, stamp, observe, everything, dataLoss };
    await syncDoctypes(needs);
  }
  const registry = await loadRegistry(database.reader, meta, owner).catch(async (error: unknown) => {
    throw isTool ? await explainOlderTables(database.reader, defined, error) : error;
  });
  for (const message of checkApps(apps, registry)) if (!isTool) observe({ kind: 'warning', message });
  return { apps, metadata: startMetadata(database, meta, owner, registry) };
}

/** The stored definitions are read with the columns that this version gives them at its first start. */
async function explainOlderTables(
  reader: Connection,
  defined: readonly DefinedApp[],
  error: unknown,
): Promise<unknown> {
  const [standard] = changedApps(defined.slice(0, 1), await loadSettings(reader));
  if (!standard) return error;
  return new StartError(
    'The data is that of an older version. Run this command with that version, or start this version once.',
    { cause: error },
  );
}
