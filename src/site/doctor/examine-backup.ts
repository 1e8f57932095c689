import { chooseState, type WantedState } from '../../backup/restore.ts';
import { DamagedBackup } from '../../backup/store/damaged-backup.ts';
import type { Config } from '../../config/config.ts';
import type { FilesPlace } from '../../config/files-place.ts';
import type { Connection } from '../../db/database.ts';
import { isMissingRelation } from '../../db/driver-errors.ts';
import { type Clock, nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { aboutTime } from '../../kernel/quantity.ts';
import { backupState } from '../backup-runs.ts';
import { SITE_ID } from '../settings/secret-key.ts';
import { loadSettings } from '../settings/settings-table.ts';
import { openRepository } from '../start/open-backups.ts';
import type { Finding } from './finding.ts';

const check = 'backup';
const MAKE_ONE = 'chancery backup, of the version that runs now, makes one';

/** The place of backups, and the operator's word for another one. */
interface Wanted {
  readonly backups: FilesPlace | null;
  readonly ownBackup: boolean;
}

/** Examines whether there is a backup to go back to. Reads its manifest and the end of its log, not its contents. */
export async function examineBackup(
  reader: Connection,
  config: Config,
  clock: Clock,
  { backups, ownBackup }: Wanted,
): Promise<Finding> {
  if (backups === null) {
    if (ownBackup) return { check, state: 'ok', message: 'You have a backup that Chancery does not know' };
    return {
      check,
      state: 'problem',
      message: 'No place of backups is known',
      remedy: `${MAKE_ONE}. If you have another backup: --own-backup`,
    };
  }
  try {
    const repository = await openRepository(backups, { config, clock });
    try {
      const state = await chooseState(repository, { name: null, at: null });
      return await judge(reader, config, clock, state);
    } finally {
      repository.target.close();
    }
  } catch (error) {
    const isKnown = error instanceof ServiceError || error instanceof DamagedBackup;
    if (!isKnown && !(error instanceof Error && 'syscall' in error)) throw error;
    return { check, state: 'problem', message: error.message, remedy: MAKE_ONE };
  }
}

async function judge(
  reader: Connection,
  config: Config,
  clock: Clock,
  { manifest, end, damaged }: WantedState,
): Promise<Finding> {
  const id = (await loadSettings(reader)).get(SITE_ID);
  if (id !== undefined && manifest.site !== id)
    return { check, state: 'problem', message: 'The backups are of another site', remedy: MAKE_ONE };
  const [note] = damaged;
  if (note !== undefined) return { check, state: 'problem', message: note, remedy: MAKE_ONE };
  const age = nowMillis(clock) - end;
  const name = `The newest backup, ${manifest.name},`;
  if (age > LIMITS.backupBeforeUpgrade) {
    const message = `${name} leads to a state of ${aboutTime(age / 1_000)} ago`;
    return { check, state: 'problem', message, remedy: MAKE_ONE };
  }
  const message = `${name} leads to a state of ${aboutTime(Math.max(0, age) / 1_000)} ago`;
  if (await isRehearsed(reader, config, manifest.name))
    return { check, state: 'ok', message: `${message}. Its restore was rehearsed` };
  const remedy = 'chancery backup verify reads all of it';
  return { check, state: 'advice', message: `${message}. Nobody has rehearsed its restore`, remedy };
}

async function isRehearsed(reader: Connection, config: Config, name: string): Promise<boolean> {
  const state = await backupState(reader, { config }).catch((error: unknown) => {
    // The data is of a version before rehearsals.
    if (isMissingRelation(error)) return null;
    throw error;
  });
  return state?.rehearsal?.status === 'Succeeded' && state.rehearsal.backup === name;
}
