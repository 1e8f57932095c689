import { queryOptions } from '@tanstack/react-query';
import { callMethod, readMethod } from '../../data/api.ts';
import { loadBoot, type RightName } from '../../data/boot.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';
import type { PermissionRow, RowChange } from './permission-rows.ts';

/** A doctype with its rows in force and those of its definition. */
export interface PermittedDoctype {
  readonly name: string;
  readonly module: string;
  readonly isSubmittable: boolean;
  /** The site may have its own rows. */
  readonly isCustomizable: boolean;
  /** App code decides about each document, too. */
  readonly isNarrowed: boolean;
  readonly rows: readonly PermissionRow[];
  readonly shipped: readonly PermissionRow[];
  /** Levels above 0 with the labels of their fields. */
  readonly levels: readonly { readonly permlevel: number; readonly fields: readonly string[] }[];
}

export interface RoleUse {
  readonly name: string;
  readonly isDisabled: boolean;
  /** Enabled users; null for a role that rules assign. */
  readonly users: number | null;
}

export interface Permissions {
  readonly doctypes: readonly PermittedDoctype[];
  readonly roles: readonly RoleUse[];
}

/** Who would be locked out by a change. */
export interface Lockout {
  readonly kind: 'nobody' | 'yourself' | 'managers';
  readonly doctype: string;
  readonly rights: readonly RightName[];
}

interface WireRow {
  readonly role: string;
  readonly permlevel: number;
  readonly if_owner: 0 | 1;
  readonly rights: readonly RightName[];
}

interface WirePermissions {
  readonly doctypes: readonly {
    readonly name: string;
    readonly module: string;
    readonly is_submittable: 0 | 1;
    readonly customizable: 0 | 1;
    readonly narrowed: 0 | 1;
    readonly permissions: readonly WireRow[];
    readonly shipped: readonly WireRow[];
    readonly levels: PermittedDoctype['levels'];
  }[];
  readonly roles: readonly {
    readonly name: string;
    readonly disabled: 0 | 1;
    readonly users: number | null;
  }[];
}

const METHOD = 'chancery.permissions.get';

/** All permission rows of the site. */
export const permissionsQuery = queryOptions({
  queryKey: keys.method(METHOD),
  queryFn: async ({ signal }): Promise<Permissions> => {
    const { doctypes, roles } = await readMethod<WirePermissions>(METHOD, {}, { signal });
    return {
      doctypes: doctypes.map(({ is_submittable, customizable, narrowed, permissions, ...rest }) => ({
        ...rest,
        isSubmittable: is_submittable === 1,
        isCustomizable: customizable === 1,
        isNarrowed: narrowed === 1,
        rows: permissions.map((row) => rowOf(rest.name, row)),
        shipped: rest.shipped.map((row) => rowOf(rest.name, row)),
      })),
      roles: roles.map(({ name, disabled, users }) => ({ name, isDisabled: disabled === 1, users })),
    };
  },
});

function rowOf(doctype: string, { role, permlevel, if_owner, rights }: WireRow): PermissionRow {
  return { doctype, role, permlevel, ifOwner: if_owner === 1, rights: new Set(rights) };
}

/** Who would be locked out; nothing is saved. */
export async function tryChanges(changes: readonly RowChange[]): Promise<readonly Lockout[]> {
  return (await send(changes, { dry_run: 1 })).warnings;
}

/** Saves all changes or none. */
export async function saveChanges(changes: readonly RowChange[]): Promise<void> {
  // The summary showed the warnings, and the user confirmed them.
  await send(changes, { confirm: 1 });
  await Promise.all([queryClient.invalidateQueries({ queryKey: keys.method(METHOD) }), loadBoot()]);
}

function send(changes: readonly RowChange[], more: Readonly<Record<string, 1>>) {
  return callMethod<{ readonly warnings: readonly Lockout[] }>('chancery.permissions.save', {
    changes: changes.map(({ doctype, role, permlevel, ifOwner, was, rights }) => ({
      doctype,
      role,
      permlevel,
      if_owner: ifOwner ? 1 : 0,
      was: was.size === 0 ? null : [...was],
      rights: rights.size === 0 ? null : [...rights],
    })),
    ...more,
  });
}
