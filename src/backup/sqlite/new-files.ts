import type { ReadState } from '../../db/followed-log.ts';
import { contentOf } from '../../file/content.ts';
import type { CopiedFile } from '../engine.ts';
import type { FileMark } from './segment.ts';

/** Rows that are remembered: as many could be deleted from the end of the list, and it would still be found. */
const REMEMBERED = 1_000;

/** The query for the newest rows, as the marks of `NewFiles`. */
export const NEWEST_FILES = {
  text: `select rowid as row, storage_key from _stored_content order by rowid desc limit ${REMEMBERED}`,
  values: [],
} as const;

/** A query that is empty where there is no list of files, as in a database without a site. */
export const FILES_TABLE = {
  text: `select 1 from sqlite_schema where name = '_stored_content'`,
  values: [],
} as const;

/**
 * Finds the stored files that a state lists and earlier ones did not. Rows are added behind the last one, whose number
 * may be used again after it was deleted. So the files behind the newest row that is still the same are new.
 */
export class NewFiles {
  /** The oldest first. */
  #marks: FileMark[];
  #hasTable = false;

  constructor(marks: readonly FileMark[]) {
    this.#marks = [...marks];
  }

  /** The newest row that was seen. */
  get mark(): FileMark | null {
    return this.#marks.at(-1) ?? null;
  }

  look(read: ReadState): readonly CopiedFile[] {
    this.#hasTable ||= read(FILES_TABLE).length > 0;
    if (!this.#hasTable) return [];
    const last = this.#marks.findLastIndex(({ row, key }) => {
      const [there] = read({
        text: 'select storage_key from _stored_content where rowid = ?',
        values: [row],
      });
      return there?.['storage_key'] === key;
    });
    this.#marks.length = last + 1;
    const rows = read({
      text: `select rowid as row, storage_key, sha256, bytes, swept_at from _stored_content
        where rowid > ? order by rowid`,
      values: [this.mark?.row ?? 0],
    });
    this.#marks = [...this.#marks, ...rows.map(fileMark)].slice(-REMEMBERED);
    return rows.filter((row) => row['swept_at'] === null).map(contentOf);
  }
}

/** A row of `NEWEST_FILES`. */
export function fileMark(row: Readonly<Record<string, unknown>>): FileMark {
  return { row: Number(row['row']), key: String(row['storage_key']) };
}
