import { sql } from '../db/sql.ts';
import { type DocPerm, type DocType, RIGHTS, type Right } from '../doctype/doctype.ts';
import type { Context } from '../document/contract.ts';
import { isTrue } from '../document/verbs/document-method.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { PermissionEdit } from '../site/schema/controllers/edit-permissions.ts';
import { keyOf, loadPermissionRows, mergedRows } from '../site/schema/definitions/permission-rows.ts';
import { asSent, type DeclaredArguments, FLAG, OPTIONAL_TEXT, TEXT, whole } from './arguments.ts';
import { DELETES } from './events.ts';
import { type Call, defineOperation, type Operation } from './operation.ts';
import { PERMISSION_EVENTS, requirePermissionReader, rightNamed, withPermissions } from './permissions.ts';
import { NOTHING, object, ROWS } from './result.ts';

const LEVEL = whole(0, 9);
const CHOICES = {
  type: 'array',
  items: object({ label: { type: 'string' }, value: { type: 'string' } }),
} as const;

/** The methods of Frappe's role permission manager. */
export const permissionManagerOperations: readonly Operation[] = [
  reading('get_roles_and_doctypes', 'List the roles and doctypes that permissions are about', {
    result: object({ doctypes: CHOICES, roles: CHOICES }),
    async run(ctx) {
      const roles = await ctx.db.all(sql`select "name" from "Role" where "disabled" = 0 order by "name"`);
      const choice = (value: string) => ({ label: value, value });
      return {
        doctypes: withPermissions(ctx).map(({ name }) => choice(name)),
        roles: roles.map(({ name }) => choice(String(name))),
      };
    },
  }),

  reading('get_permissions', 'List the permission rows in force, of a doctype, of a role, or both', {
    args: { doctype: OPTIONAL_TEXT, role: OPTIONAL_TEXT },
    result: ROWS,
    async run(ctx, { doctype, role }) {
      const doctypes = doctype ? [ctx.doctypes.get(String(doctype))] : withPermissions(ctx);
      const rows = doctypes.flatMap((one) => wireRows(one, one.permissions));
      return role ? rows.filter((row) => row.role === role) : rows;
    },
  }),

  reading('get_standard_permissions', "List the permission rows of a doctype's definition", {
    args: { doctype: TEXT },
    result: ROWS,
    async run(ctx, { doctype: name }) {
      const doctype = ctx.doctypes.get(String(name));
      const stored = await loadPermissionRows(ctx.db, [doctype]);
      return wireRows(doctype, stored.get(doctype.name)?.shipped ?? []);
    },
  }),

  reading('get_users_with_role', 'List the enabled users with a role', {
    args: { role: TEXT },
    result: { type: 'array', items: { type: 'string' } },
    async run(ctx, { role }) {
      const rows = await ctx.db.all(
        sql`select distinct "h"."parent" as "user" from "Has Role" as "h" join "User" as "u" on "u"."name" = "h"."parent"
            where "h"."role" = ${String(role)} and "h"."parenttype" = 'User' and "u"."enabled" = 1
            order by "h"."parent"`,
      );
      return rows.map(({ user }) => String(user));
    },
  }),

  changing(
    'add',
    'Add a role with the right to read',
    ['after_insert', 'on_change', 'on_trash'],
    { parent: TEXT, role: TEXT, permlevel: LEVEL },
    (args) => ({
      doctype: String(args['parent']),
      rows: (current) => {
        const place = placeOf(args, false);
        const isThere = current.some((row) => keyOf(row) === keyOf(place));
        return isThere ? current : [...current, { ...place, rights: new Set(['read'] as const) }];
      },
    }),
  ),

  changing(
    'update',
    'Grant or withdraw one right of a role, or set if_owner',
    PERMISSION_EVENTS,
    { doctype: TEXT, role: TEXT, permlevel: LEVEL, ptype: TEXT, value: asSent({}), if_owner: FLAG },
    (args) => ({ doctype: String(args['doctype']), rows: (current) => updated(current, args) }),
  ),

  changing(
    'remove',
    'Remove the row of a role',
    ['after_insert', 'on_change', 'on_trash'],
    { doctype: TEXT, role: TEXT, permlevel: LEVEL, if_owner: FLAG },
    (args) => ({
      doctype: String(args['doctype']),
      rows: (current) => current.filter((row) => row !== rowOf(current, args)),
    }),
  ),

  changing(
    'reset',
    'Restore the permissions of the definition',
    DELETES,
    { doctype: TEXT },
    ({ doctype }) => ({
      doctype: String(doctype),
      rows: (_current, shipped) => shipped,
    }),
  ),
];

type Values = Readonly<Record<string, unknown>>;

function reading(
  name: string,
  summary: string,
  rest: {
    readonly args?: DeclaredArguments;
    readonly result: Operation['result'];
    run(ctx: Context, args: Values): Promise<unknown>;
  },
): Operation {
  return defineOperation({
    name: nameOf(name),
    summary,
    effect: 'read',
    roles: ['System Manager'],
    ...rest,
    run(ctx, args) {
      requirePermissionReader(ctx);
      return rest.run(ctx, args);
    },
  });
}

function changing(
  name: string,
  summary: string,
  events: Operation['events'],
  args: DeclaredArguments,
  edit: (args: Values) => PermissionEdit,
): Operation {
  return defineOperation({
    name: nameOf(name),
    summary,
    effect: 'write',
    roles: ['System Manager'],
    http: ['POST'],
    events,
    args: { ...args, confirm: FLAG },
    result: NOTHING,
    async run(ctx, given: Values, { site }: Call) {
      requirePermissionReader(ctx);
      const isConfirmed = given['confirm'] === true;
      await site.editPermissions(ctx, [edit(given)], { isConfirmed, isTrial: false });
      return null;
    },
  });
}

function nameOf(name: string): string {
  return `frappe.core.page.permission_manager.permission_manager.${name}`;
}

function placeOf(args: Values, if_owner: boolean) {
  return { role: String(args['role']), permlevel: Number(args['permlevel']), if_owner };
}

/** @throws ServiceError DoesNotExistError */
function rowOf(current: readonly DocPerm[], args: Values): DocPerm {
  const key = keyOf(placeOf(args, args['if_owner'] === true));
  const row = current.find((one) => keyOf(one) === key);
  if (row) return row;
  throw new ServiceError('DoesNotExistError', `There is no permission row of ${args['role']}`);
}

function updated(current: readonly DocPerm[], args: Values): DocPerm[] {
  const row = rowOf(current, args);
  const isOn = isTrue(args['value']);
  if (args['ptype'] === 'if_owner') {
    return current.map((one) => (one === row ? { ...one, if_owner: isOn } : one));
  }
  const right = rightNamed(args['ptype']);
  const rights = new Set<Right>(row.rights);
  if (isOn) rights.add(right);
  else rights.delete(right);
  return current.map((one) => (one === row ? { ...one, rights } : one));
}

function wireRows(doctype: DocType, rows: readonly DocPerm[]) {
  return mergedRows(rows).map(({ role, permlevel, if_owner, rights }) => ({
    parent: doctype.name,
    role,
    permlevel,
    if_owner: Number(if_owner),
    ...Object.fromEntries(RIGHTS.map((right) => [right, Number(rights.has(right))])),
    is_submittable: Number(doctype.is_submittable),
  }));
}
