import { literal, quote } from '../ddl.ts';
import type { IndexSpec } from '../dialect.ts';
import { ident, render } from '../sql.ts';
import { likeKey } from './like-key.ts';

/**
 * An expression of SQL whose value is the statement that creates an index. Whether a column is nullable, and the
 * schema of the extension, are known only then.
 */
export function createIndexText(
  schema: string,
  table: string,
  index: IndexSpec,
  how: '' | 'concurrently' = '',
): string {
  const [column = ''] = index.columns;
  const terms = index.like ? trigrams(column) : termsOf(schema, table, index);
  const create = `create ${index.unique ? 'unique ' : ''}index ${how} %I on %I.%I ${index.like ? 'using gin ' : ''}(%s)`;
  return `format('${create}', ${literal(index.name)}, ${literal(schema)}, ${literal(table)}, ${terms})`;
}

/** `orderBy` explains the effect of nulls. */
function termsOf(schema: string, table: string, { columns }: IndexSpec): string {
  const names = columns.map((column) => literal(column)).join(', ');
  return `(select string_agg(format('%I', wanted.name) || case when a.attnotnull then '' else ' nulls first' end, ', ' order by wanted.place)
    from unnest(array[${names}]::text[]) with ordinality as wanted(name, place)
    left join pg_attribute a on a.attname = wanted.name and a.attrelid = ${literal(`${quote(schema)}.${quote(table)}`)}::regclass)`;
}

function trigrams(column: string): string {
  const { text } = render(likeKey(ident(column)), () => '');
  return `(select format('%s %I.gin_trgm_ops', ${literal(text)}, n.nspname)
    from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm')`;
}

/** The code of the error that says why there is no extension. */
export const NO_TRIGRAMS = 'CHTRG';

/** Statements of a block that create the extension for trigrams if it is missing. One at a time creates it. */
export const HAVE_TRIGRAMS = `
  if not exists (select from pg_extension where extname = 'pg_trgm') then
    perform pg_advisory_xact_lock(hashtext('chancery pg_trgm'));
    begin
      create extension if not exists pg_trgm schema public;
    exception when others then
      raise exception using errcode = '${NO_TRIGRAMS}', message = sqlerrm;
    end;
  end if;`;

/** A block of statements as one statement. */
export function block(statements: string): string {
  if (statements.includes('$chancery$')) throw new Error('a name ends the block it is quoted in');
  return `do $chancery$ begin ${statements} end $chancery$`;
}
