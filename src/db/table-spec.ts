import type { ColumnKind, ColumnSpec, IndexSpec, TableSpec } from './dialect.ts';

/** A system table. The first column is its key. */
export function table(
  name: string,
  columns: readonly ColumnSpec[],
  indexes: readonly IndexSpec[] = [],
): TableSpec {
  return { name, primaryKey: columns[0]?.name ?? '', columns, indexes };
}

export function text(name: string): ColumnSpec {
  return column(name, 'text');
}

export function datetime(name: string): ColumnSpec {
  return column(name, 'datetime');
}

export function integer(name: string, value = 0): ColumnSpec {
  return column(name, 'integer', value);
}

function column(name: string, kind: ColumnKind, notNullDefault: number | null = null): ColumnSpec {
  return { name, kind, notNullDefault };
}
