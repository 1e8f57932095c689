import { OWN_WORK, type Provenance } from '../../access/audit.ts';
import { loadUser } from '../../access/load-user.ts';
import { ADMINISTRATOR, type CurrentUser } from '../../access/user.ts';
import { timestamp } from '../../document/context.ts';
import type { Site } from '../../document/contract.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Applier, LoadOfApplier } from '../applier.ts';
import { type DataLoad, type LoadCounts, readLoad, writeLoad } from '../data-load.ts';
import { countEntries } from '../ledger.ts';
import { runLoad } from '../run-load.ts';
import { storeApplier } from '../store/store-applier.ts';
import { undoLoad } from '../undo-load.ts';
import { checkLoad, total } from './check-load.ts';
import { fileSource } from './file-source.ts';
import { type ImportFile, importTargets, requireImport, storedPlan } from './import-plan.ts';
import { saveApplier } from './save-applier.ts';
import type { SaveOptions } from './save-options.ts';

export interface ImportRun {
  readonly site: Site;
  readonly load: DataLoad;
  readonly file: ImportFile;
  readonly user: CurrentUser;
  readonly origin: Provenance;
  readonly signal?: AbortSignal;
  readonly onProgress?: (counts: LoadCounts, part: number | null) => void;
}

/**
 * Goes on with an ordinary import: checks it while its status is `Checking`, and stores its records while it is
 * `Running`. An import that stores all or nothing is checked first, and undone if a record fails nevertheless. Resolves
 * to the load as it is then.
 * @throws ServiceError when it cannot go on; the load is `Failed` then
 */
export async function runImport(run: ImportRun): Promise<DataLoad> {
  const { site, load, user, origin, signal, onProgress } = run;
  const { database } = site;
  const doctype = site.doctypes.get(load.doctype ?? '');
  const plan = storedPlan(load.options);
  try {
    requireImport(user, doctype, plan);
  } catch (error) {
    await fail(site, load, error);
    throw error;
  }
  const { mode, keyField } = load;
  const { hooks, webhooks } = plan;
  const options: SaveOptions = {
    site,
    user,
    origin,
    doctype,
    mode,
    keyField: keyField ?? 'name',
    hooks,
    webhooks,
  };
  const targets = importTargets(user, site.doctypes, doctype);
  const source = fileSource(run.file, plan, targets, { doctype: doctype.name, keyField: options.keyField });
  const tell = (counts: LoadCounts) => onProgress?.(counts, source.part());
  const isChecked = (await database.transaction((db) => countEntries(db, load.name))).size > 0;
  if (load.status === 'Checking' || (plan.onError === 'none' && !isChecked)) {
    const { name, status } = load;
    let counts: LoadCounts | null;
    try {
      counts = await checkLoad({ options, load: name, source, status, signal, onProgress: tell });
    } catch (error) {
      await fail(site, load, error);
      throw error;
    }
    if (counts === null) return readLoad(database.reader, name);
    if (status === 'Checking' || counts.failed > 0) return ended(site, load, counts);
  }
  const applier = saveApplier(options);
  const done = await runLoad({
    site,
    load: load.name,
    source,
    applier,
    ...(signal && { signal }),
    onProgress: tell,
  });
  if (plan.onError === 'good' || done.status !== 'Done' || done.counts.failed === 0) return done;
  return undoAll(site, done, applier, signal);
}

async function ended(site: Site, { name, status }: DataLoad, counts: LoadCounts): Promise<DataLoad> {
  const stopped = {
    part: 100,
    remaining: 0,
    done: total(counts),
    total: total(counts),
    finished: timestamp(site),
  };
  const error =
    status === 'Running' ? `Nothing was stored, because ${counts.failed} records have problems` : null;
  await site.database.transaction((db) =>
    writeLoad(site, db, name, { ...counts, ...stopped, status: 'Checked', error }, [status]),
  );
  return readLoad(site.database.reader, name);
}

async function undoAll(
  site: Site,
  { name, counts }: DataLoad,
  applier: (of: LoadOfApplier) => Applier,
  signal: AbortSignal | undefined,
): Promise<DataLoad> {
  await undoLoad({ site, load: name, applier, ...(signal && { signal }) });
  const error = `Everything was undone, because ${counts.failed} records failed`;
  await site.database.transaction((db) => writeLoad(site, db, name, { error }, ['Undone']));
  return readLoad(site.database.reader, name);
}

async function fail(site: Site, { name }: DataLoad, error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  await site.database.transaction((db) =>
    writeLoad(site, db, name, { status: 'Failed', error: reason }, ['Running', 'Checking']),
  );
}

/** Goes on with the undo of a load of either kind. @throws ServiceError when it cannot go on */
export async function undoImport(
  site: Site,
  load: DataLoad,
  worker: Pick<ImportRun, 'user' | 'origin'>,
  signal?: AbortSignal,
): Promise<DataLoad> {
  const applier = undoApplier(site, load, worker);
  return undoLoad({ site, load: load.name, applier, ...(signal && { signal }) });
}

/** The applier that undoes a load of either kind. */
export function undoApplier(
  site: Site,
  load: DataLoad,
  { user, origin }: Pick<ImportRun, 'user' | 'origin'>,
  isCommandLine = false,
): (of: LoadOfApplier) => Applier {
  const { kind, mode, keyField } = load;
  if (kind === 'Load') return storeApplier({ site, user, origin, mode, isCommandLine });
  const { hooks, webhooks } = storedPlan(load.options);
  const doctype = site.doctypes.get(load.doctype ?? '');
  return saveApplier({
    ...{ site, user, origin, doctype, mode, keyField: keyField ?? 'name', hooks, webhooks },
  });
}

/** The owner of a load with the present rights, and the provenance of work in the background. @throws ServiceError */
export async function workerOf(
  site: Site,
  { name, owner }: DataLoad,
): Promise<Pick<ImportRun, 'user' | 'origin'>> {
  const user =
    owner === ADMINISTRATOR.name
      ? ADMINISTRATOR
      : await loadUser(site.database.reader, owner, site.settings.strictUserPermissions);
  if (!user) throw new ServiceError('PermissionError', `The user ${owner} of the import is disabled`);
  return { user, origin: { ...OWN_WORK, credential: `import ${name}` } };
}
