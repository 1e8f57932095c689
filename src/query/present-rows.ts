import type { FieldValue } from '../kernel/value.ts';
import type { ListQuery } from './list-query.ts';

type Row = Record<string, FieldValue>;

/**
 * True when rows are objects whose keys are fieldnames (or the count's own name): the database may then build the
 * JSON. Otherwise ask for rows and give them to `presentRows`.
 */
export function isPlain({ selection, asDict }: ListQuery): boolean {
  if (!asDict) return false;
  if (selection.select === 'count') return selection.key === 'count(*)' || selection.key === 'count(name)';
  return selection.columns.every(({ column, key }) => column.fieldname === key);
}

/** Rows of a list as the request asked for them: objects by key, or arrays of values when it asked for those. */
export function presentRows(query: ListQuery, rows: readonly Row[]): readonly Row[] | FieldValue[][] {
  const { selection, asDict } = query;
  const isCount = selection.select === 'count';
  if (isPlain(query) && !isCount) return rows;
  const keys = isCount ? [selection.key] : selection.columns.map(({ key }) => key);
  const isAliased = isCount || selection.columns.some(({ column, key }) => column.fieldname !== key);
  const names = isAliased ? keys.map((_, position) => `_${position}`) : keys;
  if (!asDict) return rows.map((row) => names.map((name) => row[name] ?? null));
  return rows.map((row) => {
    const presented: Row = {};
    for (const [position, key] of keys.entries()) presented[key] = row[names[position] ?? key] ?? null;
    return presented;
  });
}
