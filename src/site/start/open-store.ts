import { settleAudit } from '../../access/audit-apart.ts';
import type { KeyRing } from '../../access/seal.ts';
import { version } from '../../config/version.ts';
import type { Database } from '../../db/database.ts';
import { isMissingRelation } from '../../db/driver-errors.ts';
import { jobTurns } from '../../db/job-turns.ts';
import { migrateSystemTables } from '../../db/migrate.ts';
import { tracedDatabase } from '../../db/traced-database.ts';
import type { SiteMark } from '../../file/site-mark.ts';
import type { Storage } from '../../file/storage.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { within } from '../../kernel/wait.ts';
import { makeDataDirectory, requireDatabaseFile, requireSoundLog } from '../data-directory.ts';
import { olderNodesFenced } from '../nodes.ts';
import { openSiteDatabase, replicasOf } from '../open-site-database.ts';
import { filesPlaceOf, openStorage } from '../open-storage.ts';
import { openKeys } from '../settings/secret-key.ts';
import { loadSettings, VERSION, writeSetting } from '../settings/settings-table.ts';
import { SpaceWatch } from '../space-watch.ts';
import { StartError } from '../start-error.ts';
import { SYSTEM_STEPS } from '../system-tables.ts';
import { messageOf } from '../why-unusable.ts';
import { bindFiles, refuseLostDatabase, requireOwnFiles } from './bind-files.ts';
import { hasContinuousLog } from './continuous-log.ts';
import { noteUse } from './files-used.ts';
import { loadUnclaimed } from './first-start.ts';
import { lockDatabase } from './lock-database.ts';
import type { Start } from './start.ts';

/** The longest wait of a stop for a note in the database and beside its files; milliseconds. */
const LAST_NOTE = 3_000;

/** A command uses most pages once, and an import holds much else in memory. */
const TOOL_CACHE_KIB = 8 * 1024;

/** The stores of a site. */
export interface Store {
  readonly database: Database;
  readonly storage: Storage;
  readonly space: SpaceWatch;
  readonly keys: KeyRing;
  readonly secretKey: Buffer;
  readonly restored: string | null;
  /** The mark that binds the files to the database; null for a tool, which changes neither. */
  readonly mark: SiteMark | null;
  /** Unused credentials of an earlier start. */
  readonly unclaimed: string | null;
}

/** Locks the site, opens its files and its database, and brings the system's tables up to date. */
export async function openStore(start: Start): Promise<Store> {
  const { config, clock, random, observe, jobs, isTool, isPatient, plan, role, telemetry, undos } = start;
  if (isTool) requireDatabaseFile(config);
  else {
    await makeDataDirectory(config);
    undos.add(await lockDatabase(config, role === 'writer' ? 'writer' : 'server'));
  }
  requireSoundLog(config);
  const place = filesPlaceOf(config);
  const space = new SpaceWatch(config, observe);
  undos.add(async () => space.stop());
  const onWarning = (message: string) => observe({ kind: 'warning', message });
  const onFull = () => space.note('files');
  const storage = await openStorage(place, random, { report: onWarning, onFull });
  undos.add(() => storage.close?.());
  const files = { config, place, storage, observe };
  if (!isTool) await refuseLostDatabase(files);
  const opened = await openSiteDatabase(config, {
    queryTimeout: config.lists.timeout,
    ...(plan && { connections: plan.connections, workers: plan.count }),
    ...(!isTool && config.role !== 'work' && replicasOf(config)),
    seldomWrites: role === 'reader',
    ...(isTool && role !== 'reader' && { cacheKib: TOOL_CACHE_KIB }),
    ...(!isTool && hasContinuousLog(config) && { followLog: { now: () => nowMillis(clock) } }),
    mostLogBytes: config.databaseLogBytes,
    ...(isPatient && { transactionTimeout: LIMITS.migrationTimeout }),
    onRetry: (reason, attempt) => observe({ kind: 'transaction_retried', reason, attempt }),
    onWarning,
    onFailure: (error) => observe({ kind: 'unexpected', where: 'database', error }),
    onFull: () => space.note('database'),
    isFull: () => space.isReserveOpen,
  });
  const database = telemetry ? tracedDatabase(opened, telemetry.tracing) : opened;
  space.watch(database);
  if (!isTool && role !== 'reader') space.keepReserve();
  undos.add(() => database.close());
  undos.add(() => settleAudit(database));
  if (isTool) await requireExisting(database);
  else {
    await requireOwnFiles(files, database);
    await migrateSystemTables(database, SYSTEM_STEPS, () => olderNodesFenced(database, clock));
    await noteVersion(database);
  }
  if (!isTool && database.dialect.name === 'postgres') jobs.share(jobTurns(database));
  const unclaimed = isTool ? null : await loadUnclaimed(database.reader);
  const { keys, secretKey, restored } = await openKeys(database, config, random);
  const mark = isTool ? null : await bindFiles(files, database);
  if (mark) {
    const note = () =>
      noteUse(database, storage, mark, clock).catch((error: unknown) =>
        onWarning(`The use of the files was not noted: ${messageOf(error)}`),
      );
    await note();
    undos.add(() => within(LAST_NOTE, note()));
  }
  return { database, storage, space, keys, secretKey, restored, mark, unclaimed };
}

/** Notes the version that works with the data from now on: `chancery upgrade --check` names it. */
async function noteVersion(database: Database): Promise<void> {
  if ((await loadSettings(database.reader)).get(VERSION) === version()) return;
  await database.transaction((connection) => writeSetting(connection, VERSION, version()));
}

async function requireExisting(database: Database): Promise<void> {
  const exists = await loadSettings(database.reader).then(
    (settings) => settings.has('first_start'),
    (error: unknown) => {
      if (isMissingRelation(error)) return false;
      throw error;
    },
  );
  if (!exists) throw new StartError('There is no site yet. Start the server once: chancery serve');
}
