import { filesPlace, integer, secretKey } from './read-setting.ts';
import { optional, SECRET, setting } from './setting.ts';

const DAY = 24 * 60 * 60_000;
const kept = integer(0, 10_000);

/** The settings `backup.*`: where backups go, when, and how long they stay. */
export const BACKUP_SETTINGS = {
  to: optional(filesPlace, 'place of backups: a path, a file: URL, or s3://bucket/prefix', SECRET),
  key: optional(secretKey, 'key that encrypts backups, 32 bytes in base64', {
    unset: 'backups without encryption',
    ...SECRET,
  }),
  every: setting(DAY, integer(0, 365 * DAY), 'time between backups of the server, in milliseconds; 0: none'),
  hourly: setting(24, kept, 'hours of which the last backup is kept'),
  daily: setting(7, kept, 'days of which the last backup is kept'),
  weekly: setting(5, kept, 'weeks of which the last backup is kept'),
  monthly: setting(12, kept, 'months of which the last backup is kept'),
  logDays: setting(7, integer(0, 3_650), 'days of which every second can be restored, on SQLite'),
};
