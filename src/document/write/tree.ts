import { mayLearn } from '../../access/field-level.ts';
import { lockByName } from '../../db/named-lock.ts';
import { ident, sql } from '../../db/sql.ts';
import type { DocType, Document } from '../../doctype/doctype.ts';
import { nameInText, nameKey } from '../../doctype/numbered.ts';
import { GROUP_FIELD, OLD_PARENT_FIELD } from '../../doctype/tree.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Change } from '../change.ts';
import type { Context } from '../contract.ts';
import { scalarOf } from '../document.ts';
import { besides } from '../leaving.ts';
import { lockClause } from '../lock.ts';

/**
 * Checks the position of a node before it is written: its parent is an existing group and not below the node,
 * and a node with children stays a group. Does nothing unless the doctype is a tree.
 * @throws ServiceError ValidationError, LinkValidationError
 */
export async function placeInTree(ctx: Context, change: Change): Promise<void> {
  const { doctype, doc, before } = change;
  if (!doctype.is_tree) return;
  const parent = parentOf(doctype, doc);
  doc[OLD_PARENT_FIELD] = parent;
  if (parent !== null && (!before || parent !== parentOf(doctype, before))) {
    if (before) await lockTree(ctx, doctype);
    await requireGroup(ctx, change, parent);
    if (before) await requireNoCircle(ctx, change, parent);
  }
  if (before && isGroup(before) && !isGroup(doc) && (await hasChildren(ctx, doctype, doc.name))) {
    throw refused(`${doctype.name} ${doc.name} must stay a group: there are nodes below it`);
  }
}

/**
 * Checks that a node to delete has no children.
 * @throws ServiceError NestedSetChildExistsError
 */
export async function leaveTree(ctx: Context, { doctype, doc }: Change): Promise<void> {
  if (doctype.is_tree && (await hasChildren(ctx, doctype, doc.name))) {
    throw new ServiceError(
      'NestedSetChildExistsError',
      `Cannot delete ${doctype.name} ${doc.name}: there are nodes below it`,
    );
  }
}

/**
 * Checks a merge of nodes: both must be groups, or neither, and the target must not be below the other.
 * @throws ServiceError ValidationError
 */
export async function checkTreeMerge(
  ctx: Context,
  doctype: DocType,
  from: Document,
  into: Document,
): Promise<void> {
  if (!doctype.is_tree) return;
  if (isGroup(from) !== isGroup(into)) {
    throw refused('Merging is only possible between two groups or two nodes that are not groups');
  }
  if (await isBelow(ctx, doctype, into.name, from.name)) {
    // The parent fields reveal which nodes are below which.
    const isKnown = mayLearn(ctx.user, doctype, doctype.nsm_parent_field);
    throw refused(
      `Cannot merge ${doctype.name} ${from.name} into ${isKnown ? 'a node below it' : into.name}`,
    );
  }
}

/**
 * Locks the tree against other moves until this transaction ends: two moves, each valid by itself, could form
 * a cycle.
 */
export async function lockTree(ctx: Context, doctype: DocType): Promise<void> {
  if (doctype.is_tree) await lockByName(ctx.db, `tree ${doctype.name}`);
}

function parentOf(doctype: DocType, doc: Document): string | null {
  const parent = scalarOf(doc, doctype.nsm_parent_field);
  return parent === null || parent === '' ? null : String(parent);
}

function isGroup(doc: Document): boolean {
  return doc[GROUP_FIELD] === 1;
}

// Checks that the parent is a group, and locks it until this transaction ends.
async function requireGroup(ctx: Context, { doctype, doc }: Change, parent: string): Promise<void> {
  if (parent === doc.name) throw circle(doctype, doc.name, parent);
  const row = await ctx.db.get(
    sql`select ${ident(GROUP_FIELD)} as "is_group" from ${ident(doctype.name)}
        where "name" = ${nameKey(doctype, parent)}${lockClause(ctx.db.dialect, 'keep')}`,
  );
  const label = doctype.fieldByName.get(doctype.nsm_parent_field)?.label ?? doctype.nsm_parent_field;
  if (!row) throw new ServiceError('LinkValidationError', `Could not find ${label}: ${parent}`);
  if (row['is_group'] === 1) return;
  throw refused(`${label} ${parent} is not a group: only a group has nodes below it`);
}

async function requireNoCircle(ctx: Context, { doctype, doc }: Change, parent: string): Promise<void> {
  if (await isBelow(ctx, doctype, parent, doc.name)) throw circle(doctype, doc.name, parent);
}

async function isBelow(ctx: Context, doctype: DocType, node: string, above: string): Promise<boolean> {
  const table = ident(doctype.name);
  const parent = ident(doctype.nsm_parent_field);
  const named = nameInText(doctype, sql`"_n"."name"`, ctx.db.dialect);
  const found = await ctx.db.get(
    sql`with recursive "_n" ("name") as (
          select ${parent} from ${table} where "name" = ${nameKey(doctype, node)}
          union select (select "_p".${parent} from ${table} as "_p" where "_p"."name" = ${named})
            from "_n" where "_n"."name" is not null and "_n"."name" <> ${above}
        ) select 1 as "one" from "_n" where "name" = ${above}`,
  );
  return found !== undefined;
}

async function hasChildren(ctx: Context, doctype: DocType, name: string): Promise<boolean> {
  const found = await ctx.db.get(
    sql`select 1 as "one" from ${ident(doctype.name)}
        where ${ident(doctype.nsm_parent_field)} = ${name}${besides(ctx, doctype.name, { doctype: doctype.name, name })} limit 1`,
  );
  return found !== undefined;
}

function circle(doctype: DocType, name: string, parent: string): ServiceError {
  return refused(
    parent === name
      ? `${doctype.name} ${name} cannot be below itself`
      : `${doctype.name} ${name} cannot be below ${parent}, which is below it`,
  );
}

function refused(message: string): ServiceError {
  return new ServiceError('ValidationError', message);
}
