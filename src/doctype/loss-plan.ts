import type { ActualTable, ColumnSpec, TableSpec } from '../db/dialect.ts';
import { isLossless } from './schema-plan.ts';

/** A step that may lose stored values: never done at run time or at start, only by someone who said so. */
export type Loss =
  /** The column of a field that is no longer there. */
  | { readonly loss: 'column'; readonly column: ColumnSpec }
  /** A fieldtype whose column cannot hold everything that is stored. */
  | { readonly loss: 'narrowing'; readonly from: ColumnSpec; readonly to: ColumnSpec };

/** What `actual` holds that `wanted` has no place for. The system's own columns begin with `_` and are not asked about. */
export function lossesOf(wanted: TableSpec, actual: ActualTable): Loss[] {
  const columns = new Map(wanted.columns.map((column) => [column.name, column]));
  return actual.columns.flatMap((from): Loss[] => {
    if (from.name.startsWith('_')) return [];
    const to = columns.get(from.name);
    if (!to) return [{ loss: 'column', column: from }];
    if (to.kind === from.kind || isLossless(from, to)) return [];
    return [{ loss: 'narrowing', from, to }];
  });
}

/** The table once these losses were accepted: what is then planned as usual. */
export function afterLosses(actual: ActualTable, losses: readonly Loss[]): ActualTable {
  const gone = new Set(losses.flatMap((loss) => (loss.loss === 'column' ? [loss.column.name] : [])));
  const narrowed = new Map(
    losses.flatMap((loss) => (loss.loss === 'narrowing' ? [[loss.to.name, loss.to] as const] : [])),
  );
  const touched = new Set([...gone, ...narrowed.keys()]);
  return {
    ...actual,
    columns: actual.columns
      .filter((column) => !gone.has(column.name))
      .map((column) => narrowed.get(column.name) ?? column),
    indexes: actual.indexes.filter((index) => !index.columns.some((column) => touched.has(column))),
  };
}

/** The losses without which the plan cannot be made at all: the others may wait. */
export function requiredLosses(wanted: TableSpec, losses: readonly Loss[]): Loss[] {
  const folded = new Set(wanted.columns.map((column) => column.name.toLowerCase()));
  return losses.filter(
    // A removed field whose name comes back in another case would be one column with it on SQLite.
    (loss) => loss.loss === 'narrowing' || folded.has(loss.column.name.toLowerCase()),
  );
}
