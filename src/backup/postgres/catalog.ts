import type { Row } from '../../db/database.ts';
import { literal, quote } from '../../db/ddl.ts';
import type { CopySession } from '../../db/postgres/copy-session.ts';

/** What a schema consists of, as statements that make the same in another schema and another version. */
export interface Definitions {
  /** Extensions that the schema uses; `schema` is null where that is the site's own. */
  readonly extensions: readonly { readonly name: string; readonly schema: string | null }[];
  readonly tables: readonly TableDefinition[];
  /** Statements before the rows: sequences and tables. */
  readonly before: readonly string[];
  /** Statements after the rows: constraints, indexes, views. */
  readonly after: readonly string[];
  /** Objects of the schema that a backup leaves out, for people. */
  readonly leftOut: readonly string[];
}

export interface TableDefinition {
  readonly oid: number;
  readonly name: string;
  /** The file of the table, which changes when its rows are written anew. */
  readonly file: number;
  /** The columns of the key first, in its order. Generated ones are left out. */
  readonly columns: readonly { readonly number: number; readonly name: string }[];
  /** How many of the columns are the primary key. */
  readonly keys: number;
}

/** The schema has something that cannot be copied. */
export class UncopiedSchema extends Error {
  constructor(what: string) {
    super(`The schema has ${what}, which a backup cannot copy. Move it to another schema`);
    this.name = 'UncopiedSchema';
  }
}

/**
 * Reads the definitions of a schema. The search path is the schema and those of its extensions, so that their
 * objects are named without a schema. The tables must be locked.
 * @throws UncopiedSchema
 */
export async function readDefinitions(session: CopySession): Promise<Definitions> {
  const { schema } = session;
  const list = (text: string) => session.query(text, [schema]);
  const [refused] = await list(REFUSED);
  if (refused) throw new UncopiedSchema(String(refused['what']));
  const extensions = (await list(EXTENSIONS)).map((row) => ({
    name: String(row['name']),
    schema: row['schema'] === schema ? null : String(row['schema']),
  }));
  const path = new Set([schema, ...extensions.map((extension) => extension.schema ?? schema)]);
  await session.query(`set local search_path = ${[...path].map(quote).join(', ')}`);
  const tables = await list(TABLES);
  const columns = Map.groupBy(await list(COLUMNS), ({ table }) => Number(table));
  const sequences = await list(SEQUENCES);
  const columnsOf = (table: Row) => columns.get(Number(table['oid'])) ?? [];
  const owned = sequences.filter(({ kind }) => kind !== 'i');
  return {
    extensions,
    tables: tables.map((table) => tableOf(table, columnsOf(table))),
    before: [
      ...owned.map(
        (row) => `create sequence ${quote(text(row, 'name'))} as ${text(row, 'type')} ${options(row)}`,
      ),
      ...tables.map((table) => createTable(table, columnsOf(table), sequences)),
      ...owned.filter(({ table }) => table !== null).map(ownedBy),
    ],
    after: [
      ...(await list(CONSTRAINTS)).map((row) => text(row, 'statement')),
      ...(await list(INDEXES)).map(indexStatement),
      ...inOrder(await list(VIEWS)).map(viewStatement),
    ],
    leftOut: (await list(LEFT_OUT)).map((row) => text(row, 'what')),
  };
}

/** The values of all sequences. They are not part of a transaction's state: read them after the rows. */
export async function readSequences(
  session: CopySession,
): Promise<readonly { readonly name: string; readonly value: string; readonly isCalled: boolean }[]> {
  const rows = await session.query(SEQUENCES, [session.schema]);
  const values: { name: string; value: string; isCalled: boolean }[] = [];
  for (const row of rows) {
    const name = text(row, 'name');
    const [is] = await session.query(
      `select last_value::text as value, is_called from ${quote(session.schema)}.${quote(name)}`,
    );
    values.push({ name, value: String(is?.['value']), isCalled: is?.['is_called'] === 1 });
  }
  return values;
}

const SCHEMA = '(select oid from pg_namespace where nspname = $1)';
const ours = (alias: string, catalog: string) =>
  `not exists (select from pg_depend e
    where e.classid = '${catalog}'::regclass and e.objid = ${alias}.oid and e.deptype = 'e')`;
// A fragment of lists of tables and views.
const OPTIONS = `(select string_agg(o.option_name || '=' || quote_literal(o.option_value), ', ')
    from pg_options_to_table(c.reloptions) o) as options`;

const REFUSED = `
  select case c.relkind when 'p' then 'the partitioned table ' when 'f' then 'the foreign table '
      else 'the inherited table ' end || c.relname as what
    from pg_class c where c.relnamespace = ${SCHEMA} and (c.relkind in ('p', 'f')
      or c.relkind = 'r' and exists (select from pg_inherits i where i.inhrelid = c.oid or i.inhparent = c.oid))
  union all
  select 'a column of its own type ' || t.typname from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
    join pg_type t on t.oid = a.atttypid and ${ours('t', 'pg_type')}
    where c.relnamespace = ${SCHEMA} and t.typnamespace = ${SCHEMA} and a.attnum > 0 and not a.attisdropped
  limit 1`;

const EXTENSIONS = `select distinct x.extname as name, n.nspname as schema
  from pg_depend d
  join pg_depend m on m.classid = d.refclassid and m.objid = d.refobjid and m.deptype = 'e'
    and m.refclassid = 'pg_extension'::regclass
  join pg_extension x on x.oid = m.refobjid join pg_namespace n on n.oid = x.extnamespace
  where x.extname <> 'plpgsql' and (
    d.classid = 'pg_class'::regclass and d.objid in (select oid from pg_class where relnamespace = ${SCHEMA})
    or d.classid = 'pg_attrdef'::regclass and d.objid in (
      select f.oid from pg_attrdef f join pg_class c on c.oid = f.adrelid where c.relnamespace = ${SCHEMA})
    or d.classid = 'pg_constraint'::regclass and d.objid in (
      select oid from pg_constraint where connamespace = ${SCHEMA})
    or d.classid = 'pg_rewrite'::regclass and d.objid in (
      select r.oid from pg_rewrite r join pg_class c on c.oid = r.ev_class where c.relnamespace = ${SCHEMA}))
  order by x.extname`;

const TABLES = `select c.oid, c.relname as name, pg_relation_filenode(c.oid) as file, c.relpersistence as persistence,
    coalesce((select i.indkey::text from pg_index i where i.indrelid = c.oid and i.indisprimary), '') as key,
    ${OPTIONS}
  from pg_class c where c.relnamespace = ${SCHEMA} and c.relkind = 'r' and ${ours('c', 'pg_class')}
  order by c.relname collate "C"`;

const COLUMNS = `select a.attrelid as table, a.attnum as number, a.attname as name,
    format_type(a.atttypid, a.atttypmod) as type,
    a.attnotnull as required, a.attidentity as identity, a.attgenerated as generated,
    pg_get_expr(d.adbin, d.adrelid) as "default",
    case when a.attcollation <> t.typcollation then (select format('%I.%I', n.nspname, o.collname)
      from pg_collation o join pg_namespace n on n.oid = o.collnamespace where o.oid = a.attcollation) end as collation
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relnamespace = ${SCHEMA} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  order by a.attrelid, a.attnum`;

// kind: i of an identity column, a of a column that owns it, null of its own.
const SEQUENCES = `select c.relname as name, d.deptype as kind, t.relname as table, d.refobjid as oid,
    a.attname as column,
    format_type(s.seqtypid, null) as type, s.seqstart::text as start, s.seqincrement::text as increment,
    s.seqmin::text as min, s.seqmax::text as max, s.seqcache::text as cache, s.seqcycle as cycle
  from pg_class c join pg_sequence s on s.seqrelid = c.oid
  left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass
    and d.refobjsubid > 0 and d.deptype in ('a', 'i')
  left join pg_class t on t.oid = d.refobjid
  left join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
  where c.relnamespace = ${SCHEMA} and ${ours('c', 'pg_class')} order by c.relname collate "C"`;

// Foreign keys last: they need the keys of other tables.
const CONSTRAINTS = `select
    format('alter table %I add constraint %I %s', c.relname, o.conname, pg_get_constraintdef(o.oid)) as statement
  from pg_constraint o join pg_class c on c.oid = o.conrelid
  where c.relnamespace = ${SCHEMA} and c.relkind = 'r' and o.contype in ('p', 'u', 'x', 'c', 'f')
  order by o.contype = 'f', c.relname collate "C", o.conname collate "C"`;

// An index whose build was interrupted is left out. The server builds it again.
const INDEXES = `select pg_get_indexdef(i.indexrelid) as definition, format('%I.%I', $1::text, c.relname) as qualified,
    quote_ident(c.relname) as plain
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
  where c.relnamespace = ${SCHEMA} and c.relkind = 'r' and i.indisvalid
    and not exists (select from pg_constraint o where o.conindid = i.indexrelid and o.contype in ('p', 'u', 'x'))
  order by x.relname collate "C"`;

const VIEWS = `select c.oid, c.relname as name, pg_get_viewdef(c.oid) as definition,
    ${OPTIONS},
    (select coalesce(string_agg(distinct d.refobjid::text, ' '), '') from pg_rewrite r
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
      where r.ev_class = c.oid and d.refobjid <> c.oid) as needs
  from pg_class c where c.relnamespace = ${SCHEMA} and c.relkind = 'v' and ${ours('c', 'pg_class')}
  order by c.relname collate "C"`;

const LEFT_OUT = `
  select 'the materialized view ' || c.relname as what from pg_class c
    where c.relnamespace = ${SCHEMA} and c.relkind = 'm'
  union all select 'the function ' || p.proname from pg_proc p
    where p.pronamespace = ${SCHEMA} and ${ours('p', 'pg_proc')}
  union all select 'the trigger ' || g.tgname || ' of ' || c.relname from pg_trigger g
    join pg_class c on c.oid = g.tgrelid
    where c.relnamespace = ${SCHEMA} and not g.tgisinternal
  union all select 'the policy ' || p.polname || ' of ' || c.relname from pg_policy p
    join pg_class c on c.oid = p.polrelid
    where c.relnamespace = ${SCHEMA}
  union all select 'the type ' || t.typname from pg_type t
    where t.typnamespace = ${SCHEMA} and t.typtype in ('e', 'd', 'r') and ${ours('t', 'pg_type')}
  order by what`;

function text(row: Row, name: string): string {
  const value = row[name];
  // The object was dropped between two lists.
  if (typeof value !== 'string') throw new Error(`the catalog has no ${name} of ${row['name']}`);
  return value;
}

function tableOf(table: Row, columns: readonly Row[]): TableDefinition {
  const keys = text(table, 'key').split(' ').filter(Boolean).map(Number);
  const stored = columns
    .filter(({ generated }) => generated === '')
    .map((row) => ({ number: Number(row['number']), name: text(row, 'name') }));
  const place = ({ number }: { readonly number: number }) =>
    keys.includes(number) ? keys.indexOf(number) : keys.length + number;
  return {
    oid: Number(table['oid']),
    name: text(table, 'name'),
    file: Number(table['file']),
    columns: stored.toSorted((a, b) => place(a) - place(b)),
    keys: keys.length,
  };
}

function createTable(table: Row, columns: readonly Row[], sequences: readonly Row[]): string {
  const of = columns.map((column) => {
    const sequence = sequences.find(
      ({ oid, column: name, kind }) => kind === 'i' && oid === table['oid'] && name === column['name'],
    );
    return columnText(column, sequence);
  });
  const kind = table['persistence'] === 'u' ? 'unlogged table' : 'table';
  return `create ${kind} ${quote(text(table, 'name'))} (${of.join(', ')})${withOptions(table)}`;
}

function columnText(column: Row, sequence: Row | undefined): string {
  const words = [quote(text(column, 'name')), text(column, 'type')];
  if (column['collation'] !== null) words.push(`collate ${text(column, 'collation')}`);
  if (column['identity'] !== '') {
    if (!sequence) throw new Error(`no sequence of ${column['name']}`);
    const always = column['identity'] === 'a' ? 'always' : 'by default';
    const name = `sequence name ${quote(text(sequence, 'name'))}`;
    words.push(`generated ${always} as identity (${name} ${options(sequence)})`);
  } else if (column['generated'] !== '') {
    const how = column['generated'] === 's' ? 'stored' : 'virtual';
    words.push(`generated always as (${text(column, 'default')}) ${how}`);
  } else if (column['default'] !== null) {
    words.push(`default ${text(column, 'default')}`);
  }
  if (column['required'] === 1) words.push('not null');
  return words.join(' ');
}

function withOptions(row: Row): string {
  return row['options'] === null ? '' : ` with (${text(row, 'options')})`;
}

function options(row: Row): string {
  const of = (name: string) => text(row, name);
  const range = `minvalue ${of('min')} maxvalue ${of('max')} cache ${of('cache')}`;
  return `start ${of('start')} increment ${of('increment')} ${range}${row['cycle'] === 1 ? ' cycle' : ''}`;
}

function ownedBy(row: Row): string {
  const of = (name: string) => quote(text(row, name));
  return `alter sequence ${of('name')} owned by ${of('table')}.${of('column')}`;
}

/** PostgreSQL always names the schema of the table here. */
function indexStatement(row: Row): string {
  const definition = text(row, 'definition');
  const [before, ...rest] = definition.split(` ON ${text(row, 'qualified')} USING `);
  if (rest.length === 0) throw new Error(`an index is not what it should be: ${literal(definition)}`);
  return [before, ...rest].join(` ON ${text(row, 'plain')} USING `);
}

function viewStatement(row: Row): string {
  return `create view ${quote(text(row, 'name'))}${withOptions(row)} as ${text(row, 'definition')}`;
}

/** Each view after those that it reads. */
function inOrder(views: readonly Row[]): readonly Row[] {
  const left = new Map(views.map((view) => [String(view['oid']), view]));
  const ordered: Row[] = [];
  const add = (oid: string) => {
    const view = left.get(oid);
    if (!view) return;
    left.delete(oid);
    for (const needed of text(view, 'needs').split(' ')) add(needed);
    ordered.push(view);
  };
  for (const oid of [...left.keys()]) add(oid);
  return ordered;
}
