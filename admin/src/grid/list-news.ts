import type { Filter } from '../data/documents.ts';
import type { Row } from './list-requests.ts';

/** What others changed in a list since its rows were loaded, and what showing it would move. */
export interface ListNews {
  /** Documents that match the list now. */
  readonly added: ReadonlySet<string>;
  /** Rows that show their new values, but stand where the old ones belonged. */
  readonly moved: ReadonlySet<string>;
  /** Rows that match the list no more, or whose documents are deleted. */
  readonly gone: ReadonlySet<string>;
  /** True if events may have been missed. */
  readonly isUnknown: boolean;
}

export const NO_NEWS: ListNews = { added: new Set(), moved: new Set(), gone: new Set(), isUnknown: false };

/** Takes in changed documents: their rows as they are now, and as the list shows them. */
export function withChanges(
  before: ListNews,
  names: readonly string[],
  {
    found,
    shown,
    orderedBy,
  }: {
    readonly found: ReadonlyMap<string, Row>;
    readonly shown: ReadonlyMap<string, Row>;
    /** The fields of the sort order. */
    readonly orderedBy: readonly string[];
  },
): ListNews {
  const added = new Set(before.added);
  const moved = new Set(before.moved);
  const gone = new Set(before.gone);
  for (const name of names) {
    const now = found.get(name);
    const row = shown.get(name);
    for (const set of [added, gone]) set.delete(name);
    if (now && !row) added.add(name);
    if (row && !now) gone.add(name);
    if (row && now && orderedBy.some((field) => row[field] !== now[field])) moved.add(name);
    if (!now) moved.delete(name);
  }
  return { ...before, added, moved, gone };
}

/** True if there is nothing to tell. */
export function isSilent({ added, moved, gone, isUnknown }: ListNews): boolean {
  return added.size + moved.size + gone.size === 0 && !isUnknown;
}

/** The conditions of a list, and one more that must hold. */
export function withCondition(filters: readonly Filter[] | undefined, one: Filter): readonly Filter[] {
  if (filters === undefined || filters.length === 0) return [one];
  // Conditions with words between them become one group.
  const hasWords = (filters as readonly unknown[]).some((part) => typeof part === 'string');
  return hasWords ? ([filters, 'and', one] as unknown as readonly Filter[]) : [...filters, one];
}
