import { mayLearn } from '../access/field-level.ts';
import { allows } from '../access/permission.ts';
import { rowFilter } from '../access/row-filter.ts';
import type { ColumnKind, Dialect } from '../db/dialect.ts';
import { EMPTY, ident, type Sql, sql } from '../db/sql.ts';
import type { DocColumn, DocType } from '../doctype/doctype.ts';
import { nameInText, nameKey, nameText } from '../doctype/numbered.ts';
import { interval, junk } from './comparison-value.ts';
import type { FieldPath } from './field-path.ts';
import type { QueryScope } from './query-scope.ts';

/** The column holds the name of a node above or below a given one. */
export interface TreeTest {
  readonly test: 'tree';
  readonly tree: DocType;
  /** Rows of the tree that the user may read; null means all. Other nodes count as unknown. */
  readonly rows: Sql | null;
  readonly node: string;
  readonly walk: 'up' | 'down';
  /** The node itself counts too. */
  readonly inclusive: boolean;
  /** The column holds none of these names; empty columns match. */
  readonly negated: boolean;
}

/** The operators that walk a tree, by their names on the wire. */
export const TREE_OPERATORS = {
  'ancestors of': { walk: 'up', inclusive: false, negated: false },
  'descendants of': { walk: 'down', inclusive: false, negated: false },
  'descendants of (inclusive)': { walk: 'down', inclusive: true, negated: false },
  'not ancestors of': { walk: 'up', inclusive: false, negated: true },
  'not descendants of': { walk: 'down', inclusive: false, negated: true },
} as const satisfies Readonly<Record<string, Pick<TreeTest, 'walk' | 'inclusive' | 'negated'>>>;

export type TreeOperator = keyof typeof TREE_OPERATORS;

/**
 * The test of a tree operator for the field at `path`: the name of a node, or a Link to one. An unknown node
 * has neither ancestors nor descendants.
 * @throws ServiceError ValidationError when the field names no node of a tree, or one of a tree that the user
 * may not read or walk
 */
export function buildTreeTest(
  doctype: DocType,
  path: FieldPath,
  operator: TreeOperator,
  value: unknown,
  scope: QueryScope,
): TreeTest {
  const tree = treeOf(doctype, path, scope);
  if (!tree) throw junk(path.column, operator, 'another operator: it names no node of a tree');
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw junk(path.column, value, 'the name of a node');
  }
  const node = nodeOf(path.column, value).normalize('NFC');
  const rows = scope.rowsOf ? scope.rowsOf(tree) : rowFilter(scope.user, tree, 'read', scope.registry);
  return { test: 'tree', tree, rows, node, ...TREE_OPERATORS[operator] };
}

// A name that is a number is compared as text, too: it may be ill-formed.
function nodeOf(column: DocColumn, value: string | number): string {
  return column.kind === 'text' ? String(interval(column, value).low) : String(value).trim();
}

function treeOf(doctype: DocType, path: FieldPath, scope: QueryScope): DocType | null {
  const { field, fieldname } = path.column;
  const holder = path.via === 'own' ? doctype : path.via === 'link' ? path.target : path.child;
  const linked = field?.fieldtype === 'Link' ? scope.registry.find(field.options) : undefined;
  const named = fieldname === 'name' ? holder : linked;
  if (!named?.is_tree || !allows(scope.user, named, 'read')) return null;
  // The walk reveals each node's parent.
  return mayLearn(scope.user, named, named.nsm_parent_field) ? named : null;
}

/**
 * The condition, on the tree's parent links themselves, without a second structure that could contradict
 * them. `union` ends the walk even if stored links form a cycle.
 */
export function compileTreeTest(
  named: Sql,
  kind: ColumnKind,
  nullable: boolean,
  test: TreeTest,
  dialect: Dialect,
): Sql {
  const column = kind === 'text' ? named : dialect.asText(named, kind);
  const names = test.walk === 'down' ? namesBelow(test) : namesAbove(test, dialect);
  if (!test.negated) return sql`${column} in (${names})`;
  return nullable
    ? sql`(${column} is null or ${column} not in (${names}))`
    : sql`${column} not in (${names})`;
}

function namesBelow({ tree, node, rows, inclusive }: TreeTest): Sql {
  const table = ident(tree.name);
  const others = inclusive ? EMPTY : sql` where "name" <> ${node}`;
  return sql`with recursive "_n" ("name") as (
    select ${nameText(tree)} from ${table} where "name" = ${nameKey(tree, node)}${onlyVisible(rows)}
    union select ${nameText(tree, sql`"_c"."name"`)} from "_n" join ${table} as "_c" on "_c".${ident(tree.nsm_parent_field)} = "_n"."name"
  ) select "name" from "_n"${others}`;
}

// A subquery for each step and not a join: PostgreSQL would hash the whole tree for a few names.
function namesAbove({ tree, node, rows }: TreeTest, dialect: Dialect): Sql {
  const table = ident(tree.name);
  const parent = ident(tree.nsm_parent_field);
  const above = nameInText(tree, sql`"_n"."name"`, dialect);
  return sql`with recursive "_n" ("name") as (
    select ${parent} from ${table} where "name" = ${nameKey(tree, node)}${onlyVisible(rows)}
    union select (select "_p".${parent} from ${table} as "_p" where "_p"."name" = ${above})
      from "_n" where "_n"."name" is not null
  ) select "name" from "_n" where "name" is not null and "name" <> ${node}`;
}

function onlyVisible(rows: Sql | null): Sql {
  return rows ? sql` and (${rows})` : EMPTY;
}
