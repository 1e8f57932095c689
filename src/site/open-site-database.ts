import type { Config } from '../config/config.ts';
import type { Database, DatabaseOptions } from '../db/database.ts';
import { openDatabase } from '../db/open-database.ts';
import { UnusableDatabase } from '../db/unusable.ts';
import { databaseUrl, requireWritableDatabase } from './data-directory.ts';
import { StartError } from './start-error.ts';

/** Opens the database of a site. @throws StartError with the reason and a remedy */
export async function openSiteDatabase(config: Config, options: DatabaseOptions = {}): Promise<Database> {
  requireWritableDatabase(config);
  try {
    const { databaseListenUrl: listenUrl } = config;
    return await openDatabase(databaseUrl(config), { ...options, ...(listenUrl !== null && { listenUrl }) });
  } catch (error) {
    if (error instanceof UnusableDatabase) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

/** The options for a database that also reads from replicas. */
export function replicasOf(config: Config): Pick<DatabaseOptions, 'replicas' | 'replicaStaleness'> {
  return { replicas: config.databaseReplicas, replicaStaleness: config.databaseReplicaStaleness };
}
