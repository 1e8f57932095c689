/** The limits of an import from a running Frappe site. See `LIMITS`. */
export const REMOTE_LIMITS = {
  /** Requests to the site at a time. */
  remoteConnections: 4,
  /** Time for a connection to the site, and of silence before and within a response. */
  remoteConnectTimeout: 10_000,
  remoteSilence: 120_000,
  /** Attempts at one request, the wait after the first, the longest wait, and the longest `Retry-After`. */
  remoteTries: 8,
  remoteRetryBase: 500,
  remoteRetryCap: 60_000,
  remoteRetryAfter: 600_000,
  /** A response other than a file, decompressed, in bytes. A page that is longer is read in smaller ones. */
  remoteReplyBytes: 64 * 1024 * 1024,
  /** Documents, rows of child tables and names of one page. */
  remotePage: 500,
  remoteRowsPage: 10_000,
  remoteNamesPage: 5_000,
  /** How far a poll looks back: a transaction may commit that much later than its `modified`. */
  remoteOverlap: 300_000,
  /** Between two polls, at most. */
  remoteInterval: 86_400_000,
  /** Between two comparisons of all names and versions, while a site is followed. */
  remoteCompare: 3_600_000,
  /** Documents of a doctype, and percent of them, that a comparison deletes here without `--delete-many`. */
  remoteDeletions: 10,
  remoteDeletedPercent: 10,
  /**
   * A webhook of a followed site in bytes, the time for its request, the connections at a time, and the least time
   * between two polls that webhooks ask for.
   */
  remoteHookBytes: 1024 * 1024,
  remoteHookTimeout: 10_000,
  remoteHookConnections: 32,
  remoteHookPause: 1_000,
} as const;
