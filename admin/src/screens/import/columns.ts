import type { Column, Inspection, Mapping, Setup, Target } from './import-data.ts';

/** The columns with the user's choices, also those that the server has not answered yet. */
export function chosenColumns({ columns }: Inspection, mapping: Mapping): readonly Column[] {
  return columns.map((column) =>
    Object.hasOwn(mapping, column.key)
      ? { ...column, target: mapping[column.key] ?? null, by: 'mapping' }
      : column,
  );
}

/** Lets a column fill a field. Another column that fills it is left out then, because a field has one column. */
export function fill(
  columns: readonly Column[],
  mapping: Mapping,
  key: string,
  target: string | null,
): Mapping {
  const former = target === null ? [] : columns.filter((one) => one.target === target && one.key !== key);
  return { ...mapping, ...Object.fromEntries(former.map((one) => [one.key, null])), [key]: target };
}

/** The fields by which documents to update can be found: `name`, and unique ones that a column fills. */
export function keyTargets(columns: readonly Column[], targets: readonly Target[]): readonly Target[] {
  const filled = new Set(columns.map(({ target }) => target));
  return targets.filter(
    ({ key, table, unique }) => table === null && (key === 'name' || unique === 1) && filled.has(key),
  );
}

/** The mandatory fields of the document that no column fills. */
export function missingTargets(columns: readonly Column[], targets: readonly Target[]): readonly Target[] {
  const filled = new Set(columns.map(({ target }) => target?.split('.')[0]));
  return targets.filter(({ key, table, reqd }) => table === null && reqd === 1 && !filled.has(key));
}

/** The key field of an import: the user's choice while it is possible, otherwise the first one. */
export function keyFieldOf(setup: Pick<Setup, 'keyField'>, possible: readonly Target[]): string | null {
  const chosen = possible.find(({ key }) => key === setup.keyField) ?? possible[0];
  return chosen?.key ?? null;
}

/** Labels by key; a label that two fields have also names its field. */
export function targetLabels(targets: readonly Target[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const { label } of targets) counts.set(label, (counts.get(label) ?? 0) + 1);
  return new Map(
    targets.map(({ key, label }) => [key, (counts.get(label) ?? 0) > 1 ? `${label} (${key})` : label]),
  );
}

/** A cell of the preview as text. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
