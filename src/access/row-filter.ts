import { EMPTY, ident, join, type Sql, sql } from '../db/sql.ts';
import type { DocType, DoctypeRegistry, IncomingLink, Right } from '../doctype/doctype.ts';
import { nameKey, nameText } from '../doctype/numbered.ts';
import { memo } from '../kernel/memo.ts';
import { isIn, readableFields } from './field-level.ts';
import { reachOf } from './permission.ts';
import { type Restriction, type RowRule, ruleOf } from './row-rule.ts';
import type { CurrentUser } from './user.ts';

const compiledRule = memo(compileRule);

/**
 * A condition on a doctype's own (unqualified) columns that selects the rows on which the user has the right;
 * null for all rows. Without the right it selects no row: callers refuse earlier, with `requirePermission`.
 */
export function rowFilter(
  user: CurrentUser,
  doctype: DocType,
  right: Right,
  registry: DoctypeRegistry,
): Sql | null {
  if (doctype.istable) return rowsOfParents(user, doctype, right, registry);
  const rule = ruleOf(user, doctype, right, registry);
  return rule && compiledRule(rule);
}

function compileRule(rule: RowRule): Sql {
  const choices: Sql[] = [];
  if (rule.all) choices.push(allOf(rule));
  if (rule.own) choices.push(sql`"owner" = ${rule.user}`);
  if (rule.shared) choices.push(sql`${nameText(rule.doctype)} in (${sharedNames(rule)})`);
  const [only] = choices;
  if (!only) return sql`false`;
  return choices.length === 1 ? only : sql`(${join(choices, ' or ')})`;
}

/**
 * The names of the documents shared under a rule; with `name` only that one. Two selects, because each has an
 * index of its own.
 */
export function sharedNames({ user, doctype, shared }: RowRule, name?: string): Sql {
  const that = name === undefined ? EMPTY : sql` and "share_name" = ${name}`;
  const names = (whose: Sql) => sql`select "share_name" from "DocShare"
    where ${whose} and "share_doctype" = ${doctype.name} and ${ident(shared ?? 'read')} = 1${that}`;
  return sql`${names(sql`"user" = ${user}`)} union all ${names(sql`"everyone" = 1`)}`;
}

function allOf({ doctype, restrictions }: RowRule): Sql {
  const conditions = restrictions.map((one) => sql`(${compileRestriction(doctype, one)})`);
  return conditions.length === 0 ? sql`true` : join(conditions, ' and ');
}

function compileRestriction(doctype: DocType, restriction: Restriction): Sql {
  const { table, fieldname, orEmpty } = restriction;
  const column = table || fieldname !== 'name' ? ident(fieldname) : nameText(doctype);
  const allowed = allowedValue(column, restriction);
  if (!table) return orEmpty ? sql`${column} is null or ${column} = '' or ${allowed}` : allowed;
  const refused = orEmpty
    ? sql`${column} is not null and ${column} <> '' and not (${allowed})`
    : sql`(${column} is null or not (${allowed}))`;
  return sql`${nameText(doctype)} not in (select "parent" from ${ident(table.options)} where "parenttype" = ${doctype.name}
    and "parentfield" = ${table.fieldname} and "parent" is not null and ${refused})`;
}

/** A condition that is true of allowed values. */
export function allowedValue(value: Sql, { values, roots, tree }: Restriction): Sql {
  const exact = sql`${value} in (${join(values.map((one) => sql`${one}`))})`;
  if (!tree || roots.length === 0) return exact;
  const table = ident(tree.name);
  // `union` ends the recursion even where stored links form a circle.
  const below = sql`with recursive "_u" ("name") as (
    select ${nameText(tree)} from ${table} where "name" in (${join(roots.map((one) => sql`${nameKey(tree, one)}`))})
    union select ${nameText(tree, sql`"_c"."name"`)} from "_u" join ${table} as "_c" on "_c".${ident(tree.nsm_parent_field)} = "_u"."name"
  ) select "name" from "_u"`;
  return sql`(${exact} or ${value} in (${below}))`;
}

// Rows of every parent are listed, but User Permissions and permlevels restrict them as elsewhere.
function rowsOfParents(
  user: CurrentUser,
  child: DocType,
  right: Right,
  registry: DoctypeRegistry,
): Sql | null {
  if (reachOf(user, child, right) === 'none') return sql`false`;
  if (user.isAdministrator) return null;
  const conditions = hiddenTables(user, child, registry).map(
    ({ doctype, field }) => sql`not ("parenttype" = ${doctype.name} and "parentfield" = ${field.fieldname})`,
  );
  const restricts = user.grants !== null && user.grants.permissions.size > 0;
  for (const parent of new Set(registry.parentsOf(child.name).map((link) => link.doctype))) {
    const rule = parent.is_virtual || !restricts ? null : ruleOf(user, parent, right, registry);
    if (!rule) continue;
    conditions.push(sql`("parenttype" <> ${parent.name} or "parent" in (
      select ${nameText(parent)} from ${ident(parent.name)} where ${compileRule(rule)}))`);
  }
  return conditions.length === 0 ? null : join(conditions, ' and ');
}

function hiddenTables(user: CurrentUser, child: DocType, registry: DoctypeRegistry): readonly IncomingLink[] {
  return registry
    .parentsOf(child.name)
    .filter(({ doctype, field }) => !isIn(readableFields(user, doctype), field.fieldname));
}
