import { mayLearn } from '../../access/field-level.ts';
import { judge } from '../../access/judge.ts';
import { mayBeShared, reachOf } from '../../access/permission.ts';
import { type Restriction, type RowRule, ruleOf } from '../../access/row-rule.ts';
import type { CurrentUser } from '../../access/user.ts';
import { sql } from '../../db/sql.ts';
import type { DocPerm, DocType, Right } from '../../doctype/doctype.ts';
import type { Context } from '../contract.ts';
import { load } from '../load/load.ts';
import { narrows, refusingHook } from '../load/narrowing.ts';

/** Whether a user has a right, and the rule that decided. */
export interface Explanation {
  readonly allowed: boolean;
  readonly decided_by:
    | 'Administrator'
    | 'DocPerm'
    | 'Custom DocPerm'
    | 'DocShare'
    | 'User Permission'
    | 'hasPermission'
    | 'rowFilter'
    | 'missing';
  /** The rule in words. */
  readonly reason: string;
  /** Other rules for documents of the doctype: without a name, those that restrict the right. */
  readonly notes: readonly string[];
}

/**
 * Explains why a user has or lacks a right on a document, or on any document of the doctype. The answer
 * contains values of documents: show it only to users who may know them.
 * @throws ServiceError DoesNotExistError for an unknown doctype
 */
export async function explainPermission(
  ctx: Context,
  user: CurrentUser,
  doctypeName: string,
  right: Right,
  name: string | null,
): Promise<Explanation> {
  const doctype = ctx.doctypes.get(doctypeName);
  if (user.isAdministrator) return yes('Administrator', `${user.name} passes every check`);
  if (doctype.istable) {
    const reason = `Rows of ${doctype.name} have the permissions of their parent`;
    return { allowed: reachOf(user, doctype, right) !== 'none', decided_by: 'DocPerm', reason, notes: [] };
  }
  const by = await source(ctx, doctype);
  const rows = doctype.permissions.filter(
    (row) => row.permlevel === 0 && user.roles.has(row.role) && gives(row, right),
  );
  const rule = ruleOf(user, doctype, right, ctx.doctypes);
  const asUser: Context = { ...ctx, user };
  const notes = notesOf(asUser, doctype, right, rows, rule);
  if (rows.length === 0 && !mayBeShared(user, doctype, right)) {
    const reason = `No ${by} of ${doctype.name} gives ${right} to a role of ${user.name}, and nothing is shared`;
    return { allowed: false, decided_by: by, reason, notes: [] };
  }
  const [row] = rows.toSorted((a, b) => Number(a.if_owner) - Number(b.if_owner));
  const given = row ? yes(by, rowText(row, by, right), notes) : yes('DocShare', shareText(right), notes);
  if (name === null) return given;

  const loaded = await load(ctx, doctype, name);
  if (!loaded) return no('missing', `There is no ${doctype.name} ${name}`);
  const verdict = rule ? await judge(ctx.db, rule, loaded.doc) : ({ allowed: true, by: 'role' } as const);
  if (!verdict.allowed) {
    if (verdict.restriction) {
      const { restriction, value } = verdict;
      return no('User Permission', brokenText(restriction, value, maySay(ctx, doctype, restriction)));
    }
    return no(by, `${given.reason}, but ${doctype.name} ${name} belongs to ${loaded.doc.owner}`);
  }
  const hook = narrows(ctx, doctype) ? await refusingHook(asUser, doctype, loaded.doc, right) : null;
  if (hook) return no(hook, `A controller's ${hook} refuses it`);
  if (verdict.by === 'share') return yes('DocShare', shareText(right));
  const own = rows.find((one) => one.if_owner);
  return verdict.by === 'owner' && own ? yes(by, rowText(own, by, right)) : given;
}

function yes(
  decided_by: Explanation['decided_by'],
  reason: string,
  notes: readonly string[] = [],
): Explanation {
  return { allowed: true, decided_by, reason, notes };
}

function no(decided_by: Explanation['decided_by'], reason: string): Explanation {
  return { allowed: false, decided_by, reason, notes: [] };
}

async function source(ctx: Context, doctype: DocType): Promise<'DocPerm' | 'Custom DocPerm'> {
  const custom = await ctx.db.get(
    sql`select 1 as "one" from "Custom DocPerm" where "parent" = ${doctype.name} limit 1`,
  );
  return custom ? 'Custom DocPerm' : 'DocPerm';
}

function gives({ rights }: DocPerm, right: Right): boolean {
  return rights.has(right) || (right === 'select' && rights.has('read'));
}

function rowText({ role, if_owner }: DocPerm, by: string, right: Right): string {
  return `A ${by} gives ${right} to ${role}${if_owner ? ' on documents of their own' : ''}`;
}

function shareText(right: Right): string {
  return `A DocShare gives ${right} on what is shared`;
}

function notesOf(
  ctx: Context,
  doctype: DocType,
  right: Right,
  rows: readonly DocPerm[],
  rule: RowRule | null,
): string[] {
  const notes = (rule?.restrictions ?? []).map(
    (one) => `User Permissions: ${fieldText(one)} is one of ${valuesText(one)}`,
  );
  if (rows.length > 0 && mayBeShared(ctx.user, doctype, right)) notes.push(shareText(right));
  if (narrows(ctx, doctype)) notes.push('A controller decides about each document');
  return notes;
}

function fieldText({ table, fieldname }: Restriction): string {
  return table ? `${fieldname} in every row of ${table.fieldname}` : fieldname;
}

function valuesText({ values, roots, orEmpty, fieldname }: Restriction): string {
  const shown = values.slice(0, 5).join(', ') + (values.length > 5 ? ' …' : '');
  const below = roots.length > 0 ? ', or below' : '';
  return `${shown}${below}${orEmpty && fieldname !== 'name' ? ', or empty' : ''}`;
}

/** True when the caller may know the value of the restricted field. */
function maySay(ctx: Context, doctype: DocType, { table, fieldname }: Restriction): boolean {
  if (!table) return mayLearn(ctx.user, doctype, fieldname);
  const rowsOf = { parent: doctype, table: table.fieldname };
  return mayLearn(ctx.user, ctx.doctypes.get(table.options), fieldname, rowsOf);
}

function brokenText(restriction: Restriction, value: string | null, says: boolean): string {
  const held = !says ? 'holds something else' : value === null ? 'is empty' : `is ${value}`;
  return `${fieldText(restriction)} ${held}; User Permissions of ${restriction.allow} ask for ${valuesText(restriction)}`;
}
