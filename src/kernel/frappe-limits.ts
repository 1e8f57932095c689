import { REMOTE_LIMITS } from './remote-limits.ts';

/** Limits of reading a backup of Frappe. See `LIMITS`. */
export const FRAPPE_LIMITS = {
  ...REMOTE_LIMITS,
  /** A row or statement of a dump, which is held in memory. */
  dumpLineBytes: 64 * 1024 * 1024,
  /** Names, and distinct links of fields, that the plan of an import compares; it says when there are more. */
  plannedNames: 1_500_000,
  plannedLinks: 1_000_000,
  /** Examples that a plan or a proof lists of one finding; it counts all. */
  importExamples: 5,
  /** One file of a backup; the site may have had a greater limit for uploads. */
  importedFileBytes: 5 * 1024 * 1024 * 1024,
  /** The file of a site's configuration in a backup. */
  siteConfigBytes: 1024 * 1024,
} as const;
