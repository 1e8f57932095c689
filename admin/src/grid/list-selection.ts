/** Selected rows: some by name, or all except some. */
export interface Selection {
  readonly mode: 'some' | 'all';
  /** Selected names; in mode `all`, the excluded names. */
  readonly names: ReadonlySet<string>;
}

export const NOTHING: Selection = { mode: 'some', names: new Set() };
/** All rows of the query, even those not loaded yet. */
export const EVERYTHING: Selection = { mode: 'all', names: new Set() };

/** True if a row is selected. */
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

/** The number of selected rows; null if the total is unknown. */
export function chosenCount({ mode, names }: Selection, total: number | null): number | null {
  if (mode === 'some') return names.size;
  return total === null ? null : Math.max(0, total - names.size);
}

/** True if the selection is empty. */
export function isNothing({ mode, names }: Selection): boolean {
  return mode === 'some' && names.size === 0;
}
