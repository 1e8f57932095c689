/** The limits of the server's own disk. See `LIMITS`. */
export const DISK_LIMITS = {
  /**
   * The write-ahead log of SQLite: pages in memory that wait for the place of backups, and bytes of the log that are
   * kept for a place that is slow or away; then the backup begins again with a copy of the database.
   */
  logWaiting: 64 * 1024 * 1024,
  logBehind: 128 * 1024 * 1024,
  /** Its size from which a server warns. */
  logWarning: 256 * 1024 * 1024,
  /**
   * A full disk: interval between checks for space, the bytes that must fit, and the bytes beside an SQLite database
   * that are kept for deletions, from some time after the start on.
   */
  spaceLook: 2_000,
  spaceProbe: 1_000_000,
  spaceReserve: 16 * 1024 * 1024,
  spaceReserveAfter: 30_000,
} as const;
