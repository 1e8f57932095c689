import { isRows, isUnset, type Row, type Values } from './doc-values.ts';

/** A new value for a cell. */
export interface CellChange {
  readonly row: number;
  readonly field: string;
  readonly value: unknown;
}

/** A table without rows: always the same array. */
export const NO_ROWS: readonly Row[] = [];

/** Gives rows the keys that they keep while they are moved and saved. */
export class KeyedRows {
  #last = 0;

  /** A new row. */
  row(values: Values): Row {
    this.#last += 1;
    return { key: String(this.#last), values };
  }

  /**
   * Rows with these values. Known rows keep their keys, so that the focus stays: stored ones match by name and, with
   * `byPlace`, new ones by position.
   */
  rows(values: readonly Values[], known: readonly Row[], byPlace = false): readonly Row[] {
    const byName = new Map(known.map((row) => [row.values['name'], row] as const));
    const used = new Set<string>();
    return values.map((one, at) => {
      const name = one['name'];
      const there = known[at];
      const same = isUnset(name) ? undefined : byName.get(name);
      const old = same ?? (byPlace && there && isUnset(there.values['name']) ? there : undefined);
      if (!old || used.has(old.key)) return this.row(one);
      used.add(old.key);
      return { key: old.key, values: one };
    });
  }

  /** The values of a stored document, with keyed rows in its `tables`. Rows of `before` keep their keys. */
  document(doc: Values, tables: Iterable<string>, before: Values = {}): Record<string, unknown> {
    const taken: Record<string, unknown> = { ...doc };
    for (const table of tables) {
      const known = before[table];
      taken[table] = this.rows(
        (doc[table] ?? []) as readonly Values[],
        isRows(known) ? known : NO_ROWS,
        true,
      );
    }
    return taken;
  }
}

/** The rows with other values in some cells. Cells beyond the last row are ignored. */
export function withCells(rows: readonly Row[], changes: readonly CellChange[]): readonly Row[] {
  const changed = [...rows];
  for (const { row, field, value } of changes) {
    const before = changed[row];
    if (before && !Object.is(before.values[field], value))
      changed[row] = { key: before.key, values: { ...before.values, [field]: value } };
  }
  return changed;
}

/** The rows with one moved to the position `to`; unchanged if there is no such row or position. */
export function withMoved(rows: readonly Row[], from: number, to: number): readonly Row[] {
  const moved = rows[from];
  if (!moved || to < 0 || to >= rows.length) return rows;
  return rows.toSpliced(from, 1).toSpliced(to, 0, moved);
}

/** True if both tables have the same rows in the same order. */
export function isSameRows(one: readonly Row[], other: readonly Row[]): boolean {
  return one.length === other.length && one.every((row, at) => row === other[at]);
}
