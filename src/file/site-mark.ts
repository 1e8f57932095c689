import { isRecord } from '../kernel/value.ts';

/** What a file storage says about the database that its files belong to. */
export interface SiteMark {
  /** The site's id, which copies of its database have as well. */
  readonly site: string;
  /** Tells a database from its copies, where that is possible. */
  readonly database: string;
}

/** Null for no mark. One that cannot be read is nobody's: both ids are empty. */
export function parseMark(text: string | null): SiteMark | null {
  if (text === null) return null;
  const { site, database } = fieldsOf(text);
  return { site: String(site ?? ''), database: String(database ?? '') };
}

export function renderMark({ site, database }: SiteMark): string {
  return `${JSON.stringify({ site, database }, null, 2)}\n`;
}

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
