import { requirePermission } from '../access/permission.ts';
import { sql } from '../db/sql.ts';
import { type DocPerm, type DocType, RIGHTS, type Right } from '../doctype/doctype.ts';
import type { Context } from '../document/contract.ts';
import { narrows } from '../document/load/narrowing.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Fields } from '../kernel/value.ts';
import type { PermissionEdit } from '../site/schema/controllers/edit-permissions.ts';
import {
  isCustomizable,
  isSame,
  keyOf,
  loadPermissionRows,
  mergedRows,
  rightsIn,
  type StoredRows,
} from '../site/schema/definitions/permission-rows.ts';
import { FLAG, OPTIONAL_TEXT, records, textArgument } from './arguments.ts';
import { defineOperation, type Operation } from './operation.ts';
import { object } from './result.ts';

const TEXT = { type: 'string' } as const;
const FLAG_SCHEMA = { type: 'integer', enum: [0, 1] } as const;
const RIGHT_LIST = { type: 'array', items: { type: 'string', enum: RIGHTS } } as const;
const ROW = object({ role: TEXT, permlevel: { type: 'integer' }, if_owner: FLAG_SCHEMA, rights: RIGHT_LIST });
const ROW_LIST = { type: 'array', items: ROW };
const DOCTYPE = object({
  name: TEXT,
  module: TEXT,
  is_submittable: FLAG_SCHEMA,
  customizable: FLAG_SCHEMA,
  customized: FLAG_SCHEMA,
  narrowed: FLAG_SCHEMA,
  permissions: ROW_LIST,
  shipped: ROW_LIST,
  levels: { type: 'array', items: object({ permlevel: { type: 'integer' }, fields: { type: 'array' } }) },
});
const ROLE = object({ name: TEXT, disabled: FLAG_SCHEMA, users: { type: ['integer', 'null'] } });
const WARNING = object({
  kind: { type: 'string', enum: ['nobody', 'yourself', 'managers'] },
  doctype: TEXT,
  rights: RIGHT_LIST,
  message: TEXT,
});

/** The events of a change of Custom DocPerm documents. */
export const PERMISSION_EVENTS = ['after_insert', 'on_update', 'on_change', 'on_trash'] as const;

/** The permissions of a site, as a matrix of roles, doctypes and rights. */
export const permissionOperations: readonly Operation[] = [
  defineOperation({
    name: 'chancery.permissions.get',
    summary: 'Read the permission rows of one doctype or of all, beside those of their definitions',
    effect: 'read',
    roles: ['System Manager'],
    args: { doctype: OPTIONAL_TEXT },
    result: object({
      doctypes: { type: 'array', items: DOCTYPE },
      roles: { type: 'array', items: ROLE },
    }),
    async run(ctx, { doctype }) {
      requirePermissionReader(ctx);
      const doctypes = doctype === undefined ? withPermissions(ctx) : [ctx.doctypes.get(doctype)];
      const stored = await loadPermissionRows(ctx.db, doctypes);
      return {
        doctypes: doctypes.map((one) => shown(ctx, one, stored.get(one.name))),
        roles: await rolesOf(ctx),
      };
    },
  }),

  defineOperation({
    name: 'chancery.permissions.save',
    summary: 'Change permission rows of doctypes, all or none; warns about users who would be locked out',
    effect: 'write',
    roles: ['System Manager'],
    http: ['POST'],
    events: PERMISSION_EVENTS,
    args: { changes: records(LIMITS.permissionChanges), confirm: FLAG, dry_run: FLAG },
    result: object({ saved: FLAG_SCHEMA, warnings: { type: 'array', items: WARNING } }),
    async run(ctx, { changes, confirm, dry_run: isTrial }, { site, spend }) {
      requirePermissionReader(ctx);
      const edits = editsOf(changes);
      spend(Math.max(0, edits.length - 1));
      const warnings = await site.editPermissions(ctx, edits, { isConfirmed: confirm, isTrial });
      return { saved: Number(!isTrial), warnings };
    },
  }),
];

/** @throws ServiceError PermissionError for who may not read the permissions of the site */
export function requirePermissionReader({ user, doctypes }: Context): void {
  requirePermission(user, doctypes.get('Custom DocPerm'), 'read');
}

/** The doctypes with permission rows of their own. */
export function withPermissions({ doctypes }: Context): DocType[] {
  return doctypes.all().filter(({ istable }) => !istable);
}

function shown(ctx: Context, doctype: DocType, stored: StoredRows | undefined) {
  const current = mergedRows(doctype.permissions);
  const shipped = mergedRows(stored?.shipped ?? doctype.permissions);
  return {
    name: doctype.name,
    module: doctype.module,
    is_submittable: Number(doctype.is_submittable),
    customizable: Number(isCustomizable(doctype)),
    customized: Number(!isSame(current, shipped)),
    narrowed: Number(narrows(ctx, doctype)),
    permissions: current.map(wireRow),
    shipped: shipped.map(wireRow),
    levels: levelsOf(ctx, doctype),
  };
}

function wireRow({ role, permlevel, if_owner, rights }: DocPerm) {
  return { role, permlevel, if_owner: Number(if_owner), rights: rightsIn(rights) };
}

/** The fields above level 0, with those of child tables, by level. */
function levelsOf({ doctypes }: Context, doctype: DocType) {
  const tables = doctype.tables.flatMap(({ options }) => doctypes.find(options) ?? []);
  const fields = [doctype, ...tables].flatMap((one) => one.fields.filter(({ permlevel }) => permlevel > 0));
  return [...Map.groupBy(fields, ({ permlevel }) => permlevel)]
    .sort(([a], [b]) => a - b)
    .map(([permlevel, at]) => ({ permlevel, fields: at.map(({ label, fieldname }) => label || fieldname) }));
}

/** Roles that rules assign to users, and therefore without a number of users. */
const AUTOMATIC = new Set(['Administrator', 'All', 'Guest', 'Desk User']);

async function rolesOf(ctx: Context) {
  const rows = await ctx.db.all(
    sql`select "r"."name", "r"."disabled", (
          select count(distinct "h"."parent") from "Has Role" as "h" join "User" as "u" on "u"."name" = "h"."parent"
          where "h"."role" = "r"."name" and "h"."parenttype" = 'User' and "u"."enabled" = 1) as "users"
        from "Role" as "r" order by "r"."name"`,
  );
  return rows.map((row) => {
    const name = String(row['name']);
    return {
      name,
      disabled: Number(row['disabled'] ?? 0),
      users: AUTOMATIC.has(name) ? null : Number(row['users']),
    };
  });
}

interface RowChange {
  readonly doctype: string;
  readonly key: string;
  readonly role: string;
  readonly permlevel: number;
  readonly if_owner: boolean;
  /** Null: no row. */
  readonly was: ReadonlySet<Right> | null;
  readonly rights: ReadonlySet<Right> | null;
}

function editsOf(given: readonly Fields[]): PermissionEdit[] {
  const changes = Map.groupBy(given.map(changeOf), ({ doctype }) => doctype);
  return [...changes].map(([doctype, of]) => ({
    doctype,
    rows: (current) => {
      const rows = new Map(current.map((row) => [keyOf(row), row]));
      for (const change of of) apply(rows, change);
      return [...rows.values()];
    },
  }));
}

function apply(rows: Map<string, DocPerm>, change: RowChange): void {
  const { doctype, key, role, permlevel, if_owner, was, rights } = change;
  const now = rows.get(key)?.rights ?? null;
  if (textOf(now) !== textOf(was)) {
    const message = `The permissions of ${role} on ${doctype} have changed meanwhile`;
    throw new ServiceError('TimestampMismatchError', message);
  }
  if (rights === null) rows.delete(key);
  else rows.set(key, { role, permlevel, if_owner, rights });
}

// A row without rights is as good as none.
function textOf(rights: ReadonlySet<Right> | null): string {
  return rights === null ? '' : rightsIn(rights).join();
}

function changeOf(given: Fields): RowChange {
  const doctype = textArgument(given, 'doctype');
  const role = textArgument(given, 'role');
  const level = given['permlevel'] ?? 0;
  const permlevel = typeof level === 'object' ? Number.NaN : Number(level);
  if (!Number.isInteger(permlevel) || permlevel < 0 || permlevel > 9) {
    throw new ServiceError('ValidationError', 'permlevel must be a whole number from 0 to 9');
  }
  const if_owner = [1, '1', true].some((yes) => yes === given['if_owner']);
  const place = { role, permlevel, if_owner };
  return {
    doctype,
    ...place,
    key: keyOf(place),
    was: rightsOf(given, 'was'),
    rights: rightsOf(given, 'rights'),
  };
}

function rightsOf(given: Fields, name: 'was' | 'rights'): ReadonlySet<Right> | null {
  const value = given[name];
  if (value === null || value === undefined) return null;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return new Set(list.map((one) => rightNamed(one)));
}

/** @throws ServiceError ValidationError */
export function rightNamed(value: unknown): Right {
  const right = RIGHTS.find((one) => one === value);
  if (right) return right;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  throw new ServiceError('ValidationError', `There is no right ${text.slice(0, 140)}`);
}
