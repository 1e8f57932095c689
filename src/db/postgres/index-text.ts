import { literal, quote } from '../ddl.ts';
import type { IndexSpec } from '../dialect.ts';

/**
 * An expression of SQL whose value is the statement that creates an index. Whether a column is nullable is known
 * only then; `orderBy` explains its effect.
 */
export function createIndexText(
  table: string,
  { name, columns, unique }: IndexSpec,
  how: '' | 'concurrently' = '',
): string {
  const names = columns.map((column) => literal(column)).join(', ');
  const terms = `(select string_agg(format('%I', wanted.name) || case when a.attnotnull then '' else ' nulls first' end, ', ' order by wanted.place)
    from unnest(array[${names}]::text[]) with ordinality as wanted(name, place)
    left join pg_attribute a on a.attname = wanted.name and a.attrelid = ${literal(quote(table))}::regclass)`;
  const create = `create ${unique ? 'unique ' : ''}index ${how} %I on %I (%s)`;
  return `format('${create}', ${literal(name)}, ${literal(table)}, ${terms})`;
}
