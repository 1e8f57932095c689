/** Which rows are chosen: some by name, or all that match but some. */
export interface Selection {
  readonly mode: 'some' | 'all';
  /** Chosen; with `all` the ones left out. */
  readonly names: ReadonlySet<string>;
}

export const NOTHING: Selection = { mode: 'some', names: new Set() };
/** All rows of the query, counted or not. */
export const EVERYTHING: Selection = { mode: 'all', names: new Set() };

/** Whether a row is chosen. */
export function isChosen({ mode, names }: Selection, name: string): boolean {
  return names.has(name) === (mode === 'some');
}

/** Selects or deselects these rows. */
export function choosing(before: Selection, names: readonly string[], isOn: boolean): Selection {
  const next = new Set(before.names);
  for (const name of names) {
    if (isOn === (before.mode === 'some')) next.add(name);
    else next.delete(name);
  }
  return { mode: before.mode, names: next };
}

/** How many rows are chosen of so many; null when the total is not known. */
export function chosenCount({ mode, names }: Selection, total: number | null): number | null {
  if (mode === 'some') return names.size;
  return total === null ? null : Math.max(0, total - names.size);
}

/** Whether the selection is empty. */
export function isNothing({ mode, names }: Selection): boolean {
  return mode === 'some' && names.size === 0;
}
