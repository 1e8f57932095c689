import type { RemoteRow } from './remote-site.ts';

/** Where a followed site's documents are stored. Keys are the names that documents have there. */
export interface FollowTarget {
  /** Stores documents as the site has them. One that changed here since it was stored stays, as a conflict. */
  apply(doctype: string, documents: readonly RemoteRow[]): Promise<Applied>;
  /** Compares documents of the site, of which `name` and `modified` are known, with those here. */
  compare(doctype: string, rows: readonly RemoteRow[]): Promise<Compared>;
  /** Which of some documents came from the site and are here. */
  known(doctype: string, keys: readonly string[]): Promise<readonly string[]>;
  /** The number of documents that came from the site and are here. */
  count(doctype: string): Promise<number>;
  /** Their keys, in pages. */
  keys(doctype: string): AsyncIterable<readonly string[]>;
  /**
   * Deletes documents that are gone on the site, except for conflicts. Resolves with the keys of documents here that
   * still link to them, by doctype: the site has changed those links without a trace in `modified`.
   */
  remove(doctype: string, keys: readonly string[]): Promise<Removed>;
}

export interface Applied {
  /** Documents that are stored as on the site now. */
  readonly stored: number;
  /** Documents that could not be stored. The log of the load has the reasons. */
  readonly failed: number;
  readonly conflicts: readonly string[];
}

export interface Compared {
  /** Documents that are not here, and those of another version. */
  readonly missing: readonly string[];
  readonly stale: readonly string[];
  /** Documents that somebody changed or deleted here. */
  readonly conflicts: readonly string[];
}

export interface Removed {
  readonly removed: number;
  readonly conflicts: readonly string[];
  readonly referrers: ReadonlyMap<string, readonly string[]>;
}
