import { FRAPPE_LIMITS } from './frappe-limits.ts';
import { LOAD_LIMITS } from './load-limits.ts';

/** Limits of files and sites that are imported. */
export const IMPORT_LIMITS = {
  ...FRAPPE_LIMITS,
  ...LOAD_LIMITS,
  /** Cells of a row. */
  importColumns: 1_000,
  /** Characters of a row, of a line of NDJSON, and of an element of a JSON array. */
  importRowLength: 16 * 1024 * 1024,
  /** Rows that the form of a file, and the mapping of its columns, are detected from, and their characters. */
  importSampleRows: 2_000,
  importSampleLength: 16 * 1024 * 1024,
  /** Names and unique values that a check compares within a file. */
  importSeenValues: 1_000_000,
  /** Records that are saved at once, so that they share commits. */
  importBatch: 128,
  /** Rows of a preview, and characters of each of its cells. */
  importPreviewRows: 20,
  importPreviewText: 200,
  /** Characters of a value that a report quotes. */
  importExcerpt: 100,
  /**
   * A workbook, which is read in memory: its bytes, its rows, its parts, and the bytes that all of them, and its
   * parts other than sheets and media (shared texts, styles), unpack to.
   */
  importWorkbookBytes: 64 * 1024 * 1024,
  importWorkbookRows: 200_000,
  importWorkbookParts: 1_000,
  importWorkbookUnpacked: 512 * 1024 * 1024,
  importWorkbookTexts: 32 * 1024 * 1024,
} as const;
