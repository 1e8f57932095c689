import type { Connection } from '../../db/database.ts';
import type { Repository } from '../store/repository.ts';
import { type LaterState, parseLaterState, readLaterState, renderLaterState } from './later-state.ts';

/** Bytes of a part: a site with many users and keys needs several. */
const PART = 4 * 1024 * 1024;

/** Stores what later restores must know of the present state; resolves to its parts. */
export async function putLaterState(repository: Repository, db: Connection): Promise<readonly string[]> {
  const state = Buffer.from(renderLaterState(await readLaterState(db)));
  const parts: string[] = [];
  for (let start = 0; start < state.length; start += PART) {
    parts.push(await repository.putPart(state.subarray(start, start + PART)));
  }
  return parts;
}

/** The newest state after a moment that a backup knows of; null without one. @throws DamagedBackup */
export async function laterStateAfter(repository: Repository, moment: number): Promise<LaterState | null> {
  const newest = (await repository.names()).at(-1);
  const manifest = newest === undefined ? null : await repository.manifest(newest);
  if (!manifest || manifest.moment <= moment) return null;
  const parts: Buffer[] = [];
  for (const part of manifest.later) parts.push(await repository.getPart(part));
  return parseLaterState(Buffer.concat(parts).toString('utf8'));
}
