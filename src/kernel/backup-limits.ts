/** The limits of backups. See `LIMITS`. */
export const BACKUP_LIMITS = {
  /**
   * The write-ahead log of SQLite: pages in memory that wait for the place of backups, and bytes of the log that are
   * kept for a place that is slow or away; then the backup begins again with a copy of the database.
   */
  logWaiting: 64 * 1024 * 1024,
  logBehind: 128 * 1024 * 1024,
  /** Its size from which a server warns. */
  logWarning: 256 * 1024 * 1024,
} as const;
