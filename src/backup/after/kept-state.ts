import type { Connection } from '../../db/database.ts';
import type { Repository } from '../store/repository.ts';
import { type LaterState, parseLaterState, readLaterState, renderLaterState } from './later-state.ts';

/** Stores what later restores must know of the present state; resolves to its part. */
export async function putLaterState(repository: Repository, db: Connection): Promise<string> {
  return repository.putPart(Buffer.from(renderLaterState(await readLaterState(db))));
}

/** The newest state after a moment that a backup knows of; null without one. @throws DamagedBackup */
export async function laterStateAfter(repository: Repository, moment: number): Promise<LaterState | null> {
  const newest = (await repository.names()).at(-1);
  const manifest = newest === undefined ? null : await repository.manifest(newest);
  if (!manifest || manifest.moment <= moment) return null;
  return parseLaterState((await repository.getPart(manifest.later)).toString('utf8'));
}
