import type { FieldValue } from '../kernel/value.ts';
import type { ListQuery, Selection } from './list-query.ts';

/** A value of a list: child rows are arrays of rows, an expanded link is a row. */
export type ListValue = FieldValue | readonly ListRow[] | ListRow;

/** A row of a list before or after it is presented. */
export interface ListRow {
  [column: string]: ListValue;
}

/**
 * True when rows are objects whose keys are fieldnames (or the count's own name): the database may then build
 * the JSON. Otherwise read rows and pass them to `presentRows`.
 */
export function isPlain({ selection, asDict, expand }: ListQuery): boolean {
  if (expand.length > 0) return false;
  if (!asDict || selection.select === 'terms') return false;
  if (selection.select === 'count') return selection.key === 'count(*)' || selection.key === 'count(name)';
  return selection.columns.every(({ column, key }) => column.fieldname === key);
}

/** Rows of a list in the requested form: objects by key, or arrays of values. */
export function presentRows(query: ListQuery, rows: readonly ListRow[]): readonly ListRow[] | ListValue[][] {
  const { selection, asDict } = query;
  if (isPlain(query) && selection.select !== 'count') return rows;
  const keys = keysOf(selection);
  const isAliased =
    selection.select !== 'columns' || selection.columns.some(({ column, key }) => column.fieldname !== key);
  const names = isAliased ? keys.map((_, position) => `_${position}`) : keys;
  if (!asDict) return rows.map((row) => names.map((name) => row[name] ?? null));
  return rows.map((row) => {
    const presented: ListRow = {};
    for (const [position, key] of keys.entries()) presented[key] = row[names[position] ?? key] ?? null;
    return presented;
  });
}

function keysOf(selection: Selection): readonly string[] {
  if (selection.select === 'count') return [selection.key];
  return (selection.select === 'terms' ? selection.terms : selection.columns).map(({ key }) => key);
}
