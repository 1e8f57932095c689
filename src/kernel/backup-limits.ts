/** The limits of restores and their rehearsals. See `LIMITS`. */
export const BACKUP_LIMITS = {
  /**
   * Numbers that each series, and that the deliveries of webhooks leave out after a restore where no later state is
   * known: more than a site takes between its newest backup and its end.
   */
  restoreSkip: 1_000,
  restoreSkipDeliveries: 1_000_000,
  /** A rehearsal compares so many documents of each doctype, and reads so many files, up to so many bytes. */
  rehearsedDocuments: 20,
  rehearsedFiles: 100,
  rehearsedBytes: 256 * 1024 * 1024,
  /** Documents that one `chancery restore --only <doctype> --as-copy` brings back. */
  copiedDocuments: 10_000,
  /** Documents of Backup Run that are kept. */
  backupRuns: 1_000,
  /** `chancery upgrade --check` wants a backup whose state is at most so many milliseconds old. */
  backupBeforeUpgrade: 24 * 60 * 60_000,
} as const;
