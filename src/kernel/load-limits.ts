/** The limits of loads and of exports of a site. See `LIMITS`. */
export const LOAD_LIMITS = {
  /** Documents of one transaction of a load, their rows together with those of child tables, and bytes. */
  loadBatch: 512,
  loadBatchRows: 20_000,
  loadBatchBytes: 8 * 1024 * 1024,
  /** Problems that the log of one load lists; further ones are counted. */
  loadProblems: 10_000,
  /** Characters of a key that distinguishes a record within its source. */
  loadKeyLength: 300,
  /** Doctypes and customizations of one load. */
  definitionsAtOnce: 20_000,
  /** Characters of a value in the log of a load. */
  loadValueShown: 200,
  /** Bytes of one line of NDJSON. */
  loadLineBytes: 128 * 1024 * 1024,
  /** Attempts at a batch while the database does not answer. */
  loadTries: 5,
} as const;
