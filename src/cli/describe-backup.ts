import type { Manifest } from '../backup/store/manifest.ts';
import type { Config } from '../config/config.ts';
import { formatTimestamp } from '../kernel/clock.ts';
import { size } from '../kernel/quantity.ts';

/** `the state of 2026-11-27 22:45:00, an SQLite database of 12.3 MB and 34 files (5.0 MB)` */
export function describeBackup({ moment, database, files }: Manifest, { timeZone }: Config): string {
  const kind =
    'pages' in database
      ? `an SQLite database of ${size(database.pages * database.pageSize)}`
      : `a PostgreSQL database of ${database.tables.length} tables`;
  const time = formatTimestamp(moment * 1000, timeZone).slice(0, 19);
  const counted = files.objects === 1 ? '1 file' : `${files.objects} files`;
  return `the state of ${time}, ${kind} and ${counted} (${size(files.bytes)})`;
}
