import type { ActualTable, ColumnSpec, TableSpec } from '../db/dialect.ts';
import { isLossless } from './schema-plan.ts';
import { SYSTEM_COLUMNS } from './standard-fields.ts';

/**
 * A step that may lose stored values. It never runs at run time or at a start, only when a person asks for
 * it.
 */
export type Loss =
  /** The column of a removed field. */
  | { readonly loss: 'column'; readonly column: ColumnSpec }
  /** A fieldtype whose column cannot hold every stored value. */
  | { readonly loss: 'narrowing'; readonly from: ColumnSpec; readonly to: ColumnSpec };

/** The column that a loss concerns. */
export function lostColumn(loss: Loss): string {
  return loss.loss === 'column' ? loss.column.name : loss.from.name;
}

/**
 * The data in `actual` that has no place in `wanted`. The system's own columns are left out.
 */
export function lossesOf(wanted: TableSpec, actual: ActualTable): Loss[] {
  const columns = new Map(wanted.columns.map((column) => [column.name, column]));
  return actual.columns.flatMap((from): Loss[] => {
    if (SYSTEM_COLUMNS.has(from.name)) return [];
    const to = columns.get(from.name);
    if (!to) return [{ loss: 'column', column: from }];
    if (isLossless(from, to) || to.name === wanted.primaryKey) return [];
    return [{ loss: 'narrowing', from, to }];
  });
}

/** The table after these losses, as input of the usual planning. */
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

/** The losses without which no plan is possible; the others may wait. */
export function requiredLosses(wanted: TableSpec, losses: readonly Loss[]): Loss[] {
  const folded = new Set(wanted.columns.map((column) => column.name.toLowerCase()));
  return losses.filter(
    // On SQLite, a removed field and a new one whose name differs only in case would share a column.
    (loss) => loss.loss === 'narrowing' || folded.has(loss.column.name.toLowerCase()),
  );
}
