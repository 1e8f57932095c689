import { OWN_WORK, type Provenance } from '../../access/audit.ts';
import { loadUser } from '../../access/load-user.ts';
import { ADMINISTRATOR, type CurrentUser, isSystemManager } from '../../access/user.ts';
import { readContext } from '../../document/context.ts';
import type { Site } from '../../document/contract.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Applier, LoadOfApplier } from '../applier.ts';
import type { DataLoad } from '../data-load.ts';
import { ndjsonSource } from '../ndjson-source.ts';
import { runLoad } from '../run-load.ts';
import { sourceId } from '../save/file-source.ts';
import { runImport, saveOptionsOf } from '../save/run-import.ts';
import { saveApplier } from '../save/save-applier.ts';
import { uploadedFile } from '../save/uploaded-file.ts';
import { checkStored } from '../store/check-records.ts';
import { storeApplier } from '../store/store-applier.ts';
import type { StoreOptions } from '../store/store-options.ts';

/** A run that keeps others away from its load. */
export interface Claimed {
  readonly runner: string;
  readonly signal: AbortSignal;
}

/** The user of a load, and the provenance of what it changes. */
export interface LoadWorker {
  readonly user: CurrentUser;
  readonly origin: Provenance;
}

/** The owner of a load with the present rights. @throws ServiceError PermissionError */
export async function workerOf(site: Site, { name, owner }: DataLoad): Promise<LoadWorker> {
  const user =
    owner === ADMINISTRATOR.name
      ? ADMINISTRATOR
      : await loadUser(site.database.reader, owner, site.settings.strictUserPermissions);
  if (!user) throw new ServiceError('PermissionError', `The user ${owner} of this load is disabled`);
  return { user, origin: { ...OWN_WORK, credential: `load ${name}` } };
}

/** Goes on with a load of either kind that reads an uploaded file. @throws ServiceError when it cannot go on */
export async function runClaimed(
  site: FileSite,
  load: DataLoad,
  { user, origin }: LoadWorker,
  claimed: Claimed,
): Promise<void> {
  if (load.kind === 'Load' && !isSystemManager(user)) {
    throw new ServiceError('PermissionError', 'Only a System Manager loads documents as they were');
  }
  const file = await uploadedFile(readContext(site, user, origin), site.storage, load.file ?? '');
  if (load.kind === 'Import') {
    if (sourceId(file, load.doctype ?? '') !== load.sourceId) {
      throw new ServiceError('ValidationError', 'The file is not the one that this import began with');
    }
    await runImport({ site, load, file, user, origin, ...claimed });
    return;
  }
  const { skip_existing, events } = load.options;
  const options: StoreOptions = {
    ...{ site, user, origin, mode: load.mode },
    ...{ skipExisting: skip_existing === true, events: events === true },
  };
  const source = ndjsonSource(file);
  if (load.status === 'Checking') await checkStored(options, load, source, claimed);
  else await runLoad({ site, load: load.name, source, applier: storeApplier(options), ...claimed });
}

/** The applier that undoes a load of either kind. */
export function undoApplier(
  site: Site,
  load: DataLoad,
  { user, origin }: LoadWorker,
  isCommandLine = false,
): (of: LoadOfApplier) => Applier {
  return load.kind === 'Load'
    ? storeApplier({ site, user, origin, mode: load.mode, isCommandLine })
    : saveApplier(saveOptionsOf({ site, load, user, origin }));
}
