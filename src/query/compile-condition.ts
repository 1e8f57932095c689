import type { ColumnKind, Dialect } from '../db/dialect.ts';
import { EMPTY, ident, join, type Sql, sql } from '../db/sql.ts';
import { hasLikeIndex } from '../doctype/composite-indexes.ts';
import type { DocType } from '../doctype/doctype.ts';
import { nameInText, nameText } from '../doctype/numbered.ts';
import type { Interval } from './comparison-value.ts';
import type { ChildPath, LinkPath } from './field-path.ts';
import type { Filter, FilterGroup, ListQuery } from './list-query.ts';
import type { Test } from './operators.ts';
import { compileTreeTest } from './tree-test.ts';

/** The condition of a query: filters, one of the or-filters, and the rows the user may see; null when all rows pass. */
export function compileWhere(
  { doctype, filters, orFilters, nested }: Pick<ListQuery, 'doctype' | 'filters' | 'orFilters' | 'nested'>,
  rowFilter: Sql | null,
  dialect: Dialect,
  joined: ChildPath | null,
): Sql | null {
  const conditions = compileAll(doctype, filters, dialect, joined);
  for (const group of nested) conditions.push(compileGroup(doctype, group, dialect, joined));
  if (orFilters.length > 0) {
    const choices = orFilters.map((filter) => compileOne(doctype, filter, dialect, joined));
    conditions.push(sql`(${join(choices, ' or ')})`);
  }
  // The row filter uses bare column names, which child rows have too.
  if (rowFilter && joined) {
    conditions.push(sql`"_t"."name" in (select "name" from ${ident(doctype.name)} where ${rowFilter})`);
  } else if (rowFilter) conditions.push(sql`(${rowFilter})`);
  return conditions.length === 0 ? null : join(conditions, ' and ');
}

/** A column of the listed doctype, whose table is called `_t` in every query. */
export function ownColumn(fieldname: string): Sql {
  return sql`"_t".${ident(fieldname)}`;
}

function compileGroup(
  doctype: DocType,
  { join: word, nodes }: FilterGroup,
  dialect: Dialect,
  joined: ChildPath | null,
): Sql {
  const groups = nodes.filter((node): node is FilterGroup => 'nodes' in node);
  const filters = nodes.filter((node): node is Filter => !('nodes' in node));
  const conditions =
    word === 'and'
      ? compileAll(doctype, filters, dialect, joined)
      : filters.map((filter) => compileOne(doctype, filter, dialect, joined));
  for (const group of groups) conditions.push(compileGroup(doctype, group, dialect, joined));
  return sql`(${join(conditions, word === 'and' ? ' and ' : ' or ')})`;
}

/** A column of the child rows that a list has rows of. */
export function rowColumn(fieldname: string): Sql {
  return sql`"_j".${ident(fieldname)}`;
}

function compileAll(
  doctype: DocType,
  filters: readonly Filter[],
  dialect: Dialect,
  joined: ChildPath | null,
): Sql[] {
  const conditions: Sql[] = [];
  // Conditions on the same child table must hold in one and the same row, as with a join.
  const byTable = new Map<string, { path: ChildPath; tests: Sql[] }>();
  for (const filter of filters) {
    if (filter.path.via !== 'child' || isJoined(filter.path, joined)) {
      conditions.push(compileOne(doctype, filter, dialect, joined));
      continue;
    }
    const key = filter.path.tables.join(' ');
    const group = byTable.get(key) ?? { path: filter.path, tests: [] };
    group.tests.push(childTest(filter.path, filter.test, dialect));
    byTable.set(key, group);
  }
  for (const { path, tests } of byTable.values()) conditions.push(childExists(doctype, path, tests));
  return conditions;
}

function compileOne(
  doctype: DocType,
  { path, test }: Filter,
  dialect: Dialect,
  joined: ChildPath | null,
): Sql {
  // The condition applies to the rows shown.
  if (path.via === 'child' && isJoined(path, joined)) {
    return compileTest(rowColumn(path.column.fieldname), path.column.kind, true, test, dialect);
  }
  if (path.via === 'child') return childExists(doctype, path, [childTest(path, test, dialect)]);
  const column = path.via === 'link' ? linkedColumn(path, dialect) : ownColumn(path.column.fieldname);
  if (path.via === 'own' && test.test === 'like' && hasLikeIndex(doctype, path.column.fieldname))
    return dialect.like(column, test.pattern, true);
  return compileTest(column, path.column.kind, path.nullable, test, dialect);
}

function isJoined(path: ChildPath, joined: ChildPath | null): boolean {
  return joined !== null && path.tables.join() === joined.tables.join();
}

function childTest(path: ChildPath, test: Test, dialect: Dialect): Sql {
  const column = sql`"_c".${ident(path.column.fieldname)}`;
  return compileTest(column, path.column.kind, path.nullable, test, dialect);
}

function childExists(doctype: DocType, path: ChildPath, tests: readonly Sql[]): Sql {
  const tables = join(path.tables.map((table) => sql`${table}`));
  return sql`exists (select 1 from ${ident(path.child.name)} as "_c" where "_c"."parent" = ${nameText(doctype, sql`"_t"."name"`)}
    and "_c"."parenttype" = ${doctype.name} and "_c"."parentfield" in (${tables}) and ${join(tests, ' and ')})`;
}

/** The field behind a link. The row filter uses bare column names: in here they are the target's. */
export function linkedColumn(path: LinkPath, dialect: Dialect): Sql {
  const visible = path.rows ? sql` and (${path.rows})` : EMPTY;
  const name = nameInText(path.target, ownColumn(path.link.fieldname), dialect);
  return sql`(select "_l".${ident(path.column.fieldname)} from ${ident(path.target.name)} as "_l"
    where "_l"."name" = ${name}${visible})`;
}

function compileTest(column: Sql, kind: ColumnKind, nullable: boolean, test: Test, dialect: Dialect): Sql {
  switch (test.test) {
    case 'always':
      return sql`true`;
    case 'never':
      return sql`false`;
    case 'empty':
      if (kind === 'text') return orNull(sql`${column} = ''`, column, nullable);
      return nullable ? sql`${column} is null` : sql`false`;
    case 'filled':
      // Null differs from '' too, but a comparison with null is never true.
      if (kind === 'text') return sql`${column} <> ''`;
      return nullable ? sql`${column} is not null` : sql`true`;
    case 'compare':
      return orNull(comparison(column, test.comparator, test.value), column, nullable && test.orNull);
    case 'one of':
      return oneOf(column, test.intervals, nullable && test.orNull);
    case 'none of':
      return noneOf(column, test.intervals, nullable, test.orNull);
    case 'like':
      return dialect.like(textual(column, kind, dialect), test.pattern);
    case 'not like':
      return orNull(
        sql`not (${dialect.like(textual(column, kind, dialect), test.pattern)})`,
        column,
        nullable,
      );
    case 'tree':
      return compileTreeTest(column, kind, nullable, test, dialect);
  }
}

function orNull(condition: Sql, column: Sql, nullable: boolean): Sql {
  return nullable ? sql`(${column} is null or ${condition})` : condition;
}

function textual(column: Sql, kind: ColumnKind, dialect: Dialect): Sql {
  return kind === 'text' ? column : dialect.asText(column, kind);
}

function comparison(column: Sql, comparator: '<' | '<=' | '>' | '>=', value: string | number): Sql {
  switch (comparator) {
    case '<':
      return sql`${column} < ${value}`;
    case '<=':
      return sql`${column} <= ${value}`;
    case '>':
      return sql`${column} > ${value}`;
    case '>=':
      return sql`${column} >= ${value}`;
  }
}

function oneOf(column: Sql, intervals: readonly Interval[], withNull: boolean): Sql {
  const choices = withNull ? [sql`${column} is null`] : [];
  const points = pointsOf(intervals);
  const [first] = points;
  if (points.length === 1 && first) choices.push(sql`${column} = ${first.low}`);
  else if (points.length > 1) choices.push(sql`${column} in (${valuesOf(points)})`);
  for (const { low, high } of spansOf(intervals)) choices.push(sql`${column} between ${low} and ${high}`);
  const [only] = choices;
  if (!only) return sql`false`;
  return choices.length === 1 ? only : sql`(${join(choices, ' or ')})`;
}

function noneOf(column: Sql, intervals: readonly Interval[], nullable: boolean, withNull: boolean): Sql {
  const conditions: Sql[] = [];
  const points = pointsOf(intervals);
  const [first] = points;
  if (points.length === 1 && first) conditions.push(sql`${column} <> ${first.low}`);
  else if (points.length > 1) conditions.push(sql`${column} not in (${valuesOf(points)})`);
  for (const { low, high } of spansOf(intervals)) {
    conditions.push(sql`not (${column} between ${low} and ${high})`);
  }
  if (conditions.length === 0) return nullable && !withNull ? sql`${column} is not null` : sql`true`;
  const all = join(conditions, ' and ');
  return orNull(conditions.length === 1 ? all : sql`(${all})`, column, nullable && withNull);
}

function pointsOf(intervals: readonly Interval[]): readonly Interval[] {
  return intervals.filter(({ low, high }) => low === high);
}

function spansOf(intervals: readonly Interval[]): readonly Interval[] {
  return intervals.filter(({ low, high }) => low !== high);
}

function valuesOf(points: readonly Interval[]): Sql {
  return join(points.map(({ low }) => sql`${low}`));
}
