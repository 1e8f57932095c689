import { openTarget } from '../../backup/store/open-target.ts';
import { Repository } from '../../backup/store/repository.ts';
import type { Config } from '../../config/config.ts';
import { type FilesPlace, parseFilesPlace } from '../../config/files-place.ts';
import type { Site } from '../../document/contract.ts';
import { type Clock, nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isWithin, realPath } from '../data-directory.ts';
import { filesPlaceOf } from '../open-storage.ts';
import { SITE_ID } from '../settings/secret-key.ts';
import { loadSettings } from '../settings/settings-table.ts';
import { placeName } from './bind-files.ts';

type BackedUp = Pick<Site, 'config' | 'database' | 'clock' | 'observe'>;

/** Works with the backups of a site in the place of its configuration. `signal`: as in `openBackups`. */
export async function withBackups<T>(
  site: BackedUp,
  work: (repository: Repository) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const repository = await openBackups(site, signal);
  try {
    return await work(repository);
  } finally {
    repository.target.close();
  }
}

/**
 * Opens the backups of a site in the place of its configuration, for writing. Close its target. The signal ends what
 * still waits for the place, because a server that stops must not wait for it.
 */
export async function openBackups(site: BackedUp, signal?: AbortSignal): Promise<Repository> {
  const { to } = site.config.backup;
  if (to === null) throw new Error('backups have no place: set backup.to');
  const id = (await loadSettings(site.database.reader)).get(SITE_ID);
  const report = (message: string) => site.observe({ kind: 'warning', message });
  const place = parseFilesPlace(to, site.config.data);
  return openRepository(place, site, {
    report,
    ...(id !== undefined && { site: id }),
    ...(signal && { signal }),
  });
}

/** How to open a place of backups. */
export interface OpeningBackups {
  /** The site that wants to write there; an empty place becomes its own. */
  readonly site?: string;
  /** Gets the cause when an S3 store fails. Errors have it, too. */
  readonly report?: (problem: string) => void;
  /** Ends what still waits for the place. */
  readonly signal?: AbortSignal;
}

/**
 * Opens the backups in a place. Close the target.
 * @throws ServiceError ValidationError for a place inside that of the site, of another site, or with another key
 */
export async function openRepository(
  place: FilesPlace,
  { config, clock }: { readonly config: Config; readonly clock: Clock },
  { site, report = () => {}, signal }: OpeningBackups = {},
): Promise<Repository> {
  const { key } = config.backup;
  if (site !== undefined) refuseOwnPlace(place, config);
  const opened = await openTarget(place, report);
  const forget = signal ? onAbort(signal, () => opened.close()) : () => {};
  const close = () => {
    forget();
    opened.close();
  };
  const target = { ...opened, close };
  try {
    return await Repository.open(target, {
      key: key === null ? null : Buffer.from(key, 'base64'),
      now: () => nowMillis(clock),
      ...(site !== undefined && { site }),
    });
  } catch (error) {
    target.close();
    throw error;
  }
}

/** Backups beside what they hold are lost with it. @throws ServiceError ValidationError */
export function refuseOwnPlace(place: FilesPlace, config: Config): void {
  const files = filesPlaceOf(config);
  const refuse = (where: string) => {
    throw new ServiceError(
      'ValidationError',
      `The place of backups is inside ${where}, and would be lost with it: choose another disk or bucket`,
    );
  };
  if (place.kind === 'disk') {
    const root = realPath(place.root);
    if (isWithin(realPath(config.data), root)) refuse(`the data directory ${config.data}`);
    if (files.kind === 'disk' && isWithin(realPath(files.root), root)) {
      refuse(`the directory of the stored files ${files.root}`);
    }
  } else if (
    files.kind === 's3' &&
    place.endpoint === files.endpoint &&
    place.bucket === files.bucket &&
    place.prefix.startsWith(files.prefix)
  ) {
    refuse(`the place of the stored files ${placeName(files)}`);
  }
}

/** Returns how to do without it: the signal may outlive many openings. */
function onAbort(signal: AbortSignal, work: () => void): () => void {
  if (signal.aborted) work();
  else signal.addEventListener('abort', work, { once: true });
  return () => signal.removeEventListener('abort', work);
}
