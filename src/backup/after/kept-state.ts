import type { Connection } from '../../db/database.ts';
import { DamagedBackup } from '../store/damaged-backup.ts';
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

/**
 * The newest state after a moment that a backup knows of; null without one. Damaged backups are passed over, and why is
 * added to `unread`, a line each.
 */
export async function laterStateAfter(
  repository: Repository,
  moment: number,
  unread: string[],
): Promise<LaterState | null> {
  for (const name of [...(await repository.names())].reverse()) {
    try {
      const manifest = await repository.manifest(name);
      if (manifest.moment <= moment) return null;
      const parts: Buffer[] = [];
      for (const part of manifest.later) parts.push(await repository.getPart(part));
      return parseLaterState(Buffer.concat(parts).toString('utf8'));
    } catch (error) {
      if (!(error instanceof DamagedBackup)) throw error;
      unread.push(error.message);
    }
  }
  return null;
}
