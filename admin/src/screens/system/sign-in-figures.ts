/** Sign-in attempts of one user or address with one outcome. */
export interface Attempts {
  readonly user?: string | null;
  readonly address?: string | null;
  readonly outcome: 'Success' | 'Failed';
  readonly attempts: number;
}

/** Attempts of one user or address. */
export interface AttemptTotals {
  readonly name: string;
  readonly done: number;
  readonly refused: number;
}

/** The totals by user or address: most refusals first. */
export function attemptsBy(rows: readonly Attempts[], by: 'user' | 'address'): readonly AttemptTotals[] {
  const totals = new Map<string, { name: string; done: number; refused: number }>();
  for (const row of rows) {
    const name = row[by] ?? '';
    const total = totals.get(name) ?? { name, done: 0, refused: 0 };
    totals.set(name, total);
    if (row.outcome === 'Failed') total.refused += row.attempts;
    else total.done += row.attempts;
  }
  return [...totals.values()].toSorted(
    (one, other) =>
      other.refused - one.refused || other.done - one.done || one.name.localeCompare(other.name),
  );
}
