import type { Connection, Row } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { Finding } from './finding.ts';

const check = 'archive';
/** Seconds, and bytes of finished files, by which the archive may be behind. */
const LATE = 5 * 60;
const BEHIND = 256 * 1024 * 1024;
/** A restore replays everything since the base backup; days. */
const OLD = 8;
const DAY = 24 * 60 * 60;

/**
 * Checks whether PostgreSQL archives its write-ahead log, for restores to any moment, and when the last base backup
 * was made. Nothing on SQLite.
 */
export async function examineArchive(connection: Connection): Promise<Finding[]> {
  if (connection.dialect.name === 'sqlite') return [];
  const row = await connection.get(
    sql`select current_setting('archive_mode') as "mode", current_setting('archive_timeout') as "timeout",
        current_setting('archive_command') = ''
          and coalesce(current_setting('archive_library', true), '') = '' as "is_unset",
        "last_archived_wal", "last_failed_wal",
        "last_failed_time" > coalesce("last_archived_time", '-infinity') as "is_failing",
        extract(epoch from now() - "last_archived_time")::bigint as "seconds",
        pg_walfile_name(pg_current_wal_lsn()) as "current",
        (select "setting"::bigint from pg_settings where "name" = 'wal_segment_size') as "size"
      from pg_stat_archiver`,
  );
  if (!row || row['mode'] === 'off') {
    const message = 'PostgreSQL does not archive its log: only the moments of backups can be restored';
    return [{ check, state: 'ok', message }];
  }
  return [archiveFinding(row), await baseBackupFinding(connection)];
}

function archiveFinding(row: Row): Finding {
  const problem = problemOf(row);
  if (problem !== null) {
    const remedy = `the reason is in PostgreSQL's log; until then its log fills its disk`;
    return { check, state: 'problem', message: problem, remedy };
  }
  if (row['last_archived_wal'] === null) {
    return { check, state: 'advice', message: 'PostgreSQL has archived nothing of its log yet' };
  }
  const last = String(row['last_archived_wal']);
  const message = `PostgreSQL archives its log; the last file ${last} was archived ${row['seconds']} s ago`;
  if (row['timeout'] !== '0') return { check, state: 'ok', message };
  const size = Number(row['size']) / 1024 ** 2;
  return {
    check,
    state: 'advice',
    message: `${message}. It waits until a file is full (${size} MB), however long that takes`,
    remedy: 'set archive_timeout to 60',
  };
}

function problemOf(row: Row): string | null {
  if (row['is_unset'] === 1) return 'archive_mode is on, and archive_command is empty';
  if (row['is_failing'] === 1) return `PostgreSQL fails to archive ${row['last_failed_wal']} of its log`;
  const size = Number(row['size']);
  const archived = placeOf(row['last_archived_wal'], size);
  const current = placeOf(row['current'], size);
  if (archived === null || current === null) return null;
  // The file that is being written is not archived.
  const files = current - archived - 1;
  const isLate = files > 0 && Number(row['seconds']) > LATE;
  if (!isLate && files * size < BEHIND) return null;
  return `The archive of PostgreSQL's log is ${files} files (${(files * size) / 1024 ** 2} MB) behind`;
}

/** The place of a file among all files of the log. Its name has the timeline before, and perhaps words behind. */
function placeOf(name: unknown, size: number): number | null {
  const [, high, low] = /^[0-9A-F]{8}([0-9A-F]{8})([0-9A-F]{8})/.exec(String(name)) ?? [];
  if (high === undefined || low === undefined) return null;
  return Number.parseInt(high, 16) * (2 ** 32 / size) + Number.parseInt(low, 16);
}

// A base backup leaves a file in the directory of the log, until the next one.
async function baseBackupFinding(connection: Connection): Promise<Finding> {
  const may = await connection.get(sql`select has_function_privilege('pg_ls_waldir()', 'execute') as "may"`);
  if (may?.['may'] !== 1) {
    const message = 'This user cannot see when the last base backup was made';
    return { check, state: 'advice', message, remedy: 'as a superuser: grant pg_monitor to this user' };
  }
  const row = await connection.get(
    sql`select extract(epoch from now() - max("modification"))::bigint as "seconds" from pg_ls_waldir()
      where "name" like ${'%.backup'}`,
  );
  const remedy = 'make one with pg_basebackup: see docs/guide/backup-postgres.md';
  if (!row || row['seconds'] === null) {
    const message =
      'No base backup was made on this server, so its archive is of no use. Those of a standby or of the storage ' +
      'leave no trace here';
    return { check, state: 'advice', message, remedy };
  }
  const days = Number(row['seconds']) / DAY;
  const message = `The last base backup was made ${Math.floor(days)} days ago`;
  if (days <= OLD) return { check, state: 'ok', message };
  return { check, state: 'advice', message: `${message}; a restore replays all changes since`, remedy };
}
