import { type FieldSet, isIn, readableFields, writableFields } from '../../access/field-level.ts';
import { shareRightFor } from '../../access/permission.ts';
import { applicablePermissions, type Restriction } from '../../access/row-rule.ts';
import type { CurrentUser } from '../../access/user.ts';
import { ident, sql } from '../../db/sql.ts';
import type { DocPerm, DocType, Document, Right } from '../../doctype/doctype.ts';
import type { Context } from '../contract.ts';

/** One rule that takes part in a decision, in the order in which they are applied. */
export interface Step {
  readonly rule:
    | 'administrator'
    | 'child_table'
    | 'role'
    | 'no_role'
    | 'share'
    | 'missing'
    | 'user_permission'
    | 'owner'
    | 'controller'
    | 'docstatus'
    | 'level';
  /** `limits`: it decides about each document, or about some fields. */
  readonly outcome: 'allows' | 'refuses' | 'limits';
  /** The doctype and name of the record with the rule, where there is one that the reader may open. */
  readonly doctype?: string;
  readonly name?: string;
  /** Parts of the rule. */
  readonly role?: string;
  readonly roles?: readonly string[];
  readonly if_owner?: 0 | 1;
  readonly custom?: 0 | 1;
  readonly allow?: string;
  /** `name`, or the label of a field. */
  readonly field?: string;
  readonly values?: readonly string[];
  readonly or_empty?: 0 | 1;
  readonly value?: string;
  readonly owner?: string;
  readonly hook?: string;
  readonly docstatus?: number;
  readonly fields?: readonly string[];
}

/** The roles of a user that give a right, or those that would. */
export function roleSteps(
  user: CurrentUser,
  doctype: DocType,
  given: readonly DocPerm[],
  right: Right,
  isCustom: boolean,
): Step[] {
  const custom = isCustom ? 1 : 0;
  if (given.length > 0) {
    return given.map(({ role, if_owner }) => ({
      rule: 'role',
      outcome: if_owner ? 'limits' : 'allows',
      role,
      if_owner: if_owner ? 1 : 0,
      custom,
    }));
  }
  const others = doctype.permissions.filter(
    ({ role, permlevel, rights }) => permlevel === 0 && rights.has(right) && !user.roles.has(role),
  );
  return [
    { rule: 'no_role', outcome: 'refuses', roles: [...new Set(others.map(({ role }) => role))], custom },
  ];
}

/** A restriction by User Permissions; `broken` has the value of the document, if the reader may know it. */
export async function restrictionStep(
  ctx: Context,
  user: CurrentUser,
  doctype: DocType,
  { allow, fieldname, table, values, orEmpty }: Restriction,
  broken?: { readonly value: string | null },
): Promise<Step> {
  const [used] = applicablePermissions(user.grants?.permissions.get(allow) ?? [], doctype.name);
  const record =
    used &&
    (await ctx.db.get(
      sql`select "name" from "User Permission" where "user" = ${user.name} and "allow" = ${allow}
          and "for_value" = ${used.value} order by "name" limit 1`,
    ));
  return {
    rule: 'user_permission',
    outcome: broken ? 'refuses' : 'limits',
    ...(record && { doctype: 'User Permission', name: String(record['name']) }),
    allow,
    field: fieldLabel(ctx, doctype, fieldname, table),
    values: values.slice(0, 5),
    or_empty: orEmpty && fieldname !== 'name' ? 1 : 0,
    ...(broken?.value !== null && broken?.value !== undefined && { value: broken.value }),
  };
}

function fieldLabel(ctx: Context, doctype: DocType, fieldname: string, table: Restriction['table']): string {
  const of = table ? ctx.doctypes.find(table.options) : doctype;
  const label = of?.fieldByName.get(fieldname)?.label || fieldname;
  return table ? `${table.label || table.fieldname} › ${label}` : label;
}

/** The share that gives a right: on this document, or on some document. */
export async function shareStep(
  ctx: Context,
  user: CurrentUser,
  doctype: DocType,
  right: Right,
  name: string | null,
): Promise<Step> {
  const column = shareRightFor(right) ?? 'read';
  const one = name === null ? sql`true` : sql`"share_name" = ${name}`;
  const row = await ctx.db.get(
    sql`select "name", "everyone" from "DocShare" where "share_doctype" = ${doctype.name} and ${one}
        and ${ident(column)} = 1 and ("user" = ${user.name} or "everyone" = 1) order by "name" limit 1`,
  );
  const record = row && name !== null && { doctype: 'DocShare', name: String(row['name']) };
  return { rule: 'share', outcome: name === null ? 'limits' : 'allows', ...record };
}

/** What the state of a document forbids to everybody. */
export function stateSteps(doc: Document, right: Right): Step[] {
  const { docstatus } = doc;
  const state: Partial<Record<Right, boolean>> = {
    write: docstatus !== 2,
    delete: docstatus !== 1,
    submit: docstatus === 0,
    cancel: docstatus === 1,
    amend: docstatus === 2,
  };
  if (state[right] === false) return [{ rule: 'docstatus', outcome: 'refuses', docstatus }];
  const isPartly = right === 'write' && docstatus === 1;
  return isPartly ? [{ rule: 'docstatus', outcome: 'limits', docstatus }] : [];
}

/** The fields that the levels of a user's roles leave out. */
export function levelSteps(user: CurrentUser, doctype: DocType, right: Right): Step[] {
  const fields: FieldSet | null =
    right === 'read'
      ? readableFields(user, doctype)
      : right === 'write'
        ? writableFields(user, doctype)
        : null;
  if (fields === null || fields === 'all') return [];
  const left = doctype.fields.filter(({ fieldname }) => !isIn(fields, fieldname));
  return [
    { rule: 'level', outcome: 'limits', fields: left.map(({ label, fieldname }) => label || fieldname) },
  ];
}
