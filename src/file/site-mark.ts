import { isRecord } from '../kernel/value.ts';

/** In `_setting`: the place of the files and their mark, as last read together. */
export const FILES_BOUND = 'files_bound';
/** In `_setting`, on PostgreSQL: the id of the storage that all servers use. */
export const FILES_STORAGE = 'files_storage';
/** In `_setting`: distinguishes a restored database from all others; absent before a restore. */
export const DATABASE_ID = 'database_id';

/** In `_setting`: when a server last began or ended to use the files; milliseconds since the epoch. */
export const FILES_USED = 'files_used';

/** The mark in a file storage that names the database of its files. */
export interface SiteMark {
  /** The site's id, which copies of its database share. */
  readonly site: string;
  /** Distinguishes a database from its copies, where possible. */
  readonly database: string;
  /**
   * The id of this storage, which the database also has: several servers of a database must use one storage.
   * Null on SQLite, and in marks of earlier versions.
   */
  readonly storage: string | null;
  /** `FILES_USED` of the database, as a server last wrote both; 0 in marks of earlier versions. */
  readonly used: number;
}

/** In place of the database's identity, until a restore has ended. */
export const RESTORING = 'a restore that has not ended';

/** Null without a mark. An unreadable mark belongs to no site: both ids are empty. */
export function parseMark(text: string | null): SiteMark | null {
  if (text === null) return null;
  const { site, database, storage, used } = fieldsOf(text);
  return {
    site: String(site ?? ''),
    database: String(database ?? ''),
    storage: typeof storage === 'string' ? storage : null,
    used: typeof used === 'number' ? used : 0,
  };
}

export function renderMark({ site, database, storage, used }: SiteMark): string {
  const known = { ...(storage !== null && { storage }), ...(used > 0 && { used }) };
  return `${JSON.stringify({ site, database, ...known }, null, 2)}\n`;
}

/** True when both name the same database. */
export function isSameMark(one: SiteMark | null, other: SiteMark | null): boolean {
  return one?.site === other?.site && one?.database === other?.database;
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
