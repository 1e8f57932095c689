import type { Config } from '../../config/config.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { sqliteLogBytes } from '../data-directory.ts';
import type { Finding } from './finding.ts';

/** Checks the size of SQLite's write-ahead log. Nothing on PostgreSQL. */
export function examineLog(config: Config): Finding[] {
  const check = 'write-ahead log';
  const bytes = sqliteLogBytes(config);
  if (bytes === null) return [];
  const message = `The write-ahead log of the database has ${Math.ceil(bytes / 1024 ** 2).toLocaleString('en')} MB`;
  if (bytes <= LIMITS.logWarning) return [{ check, state: 'ok', message }];
  const remedy =
    'end the program that keeps an old state of the database, such as sqlite3 or a copy that hangs; see docs/guide/operations.md';
  return [{ check, state: 'advice', message, remedy }];
}
