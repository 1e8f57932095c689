import type { Definition } from './definition.ts';
import { type DocPerm, RIGHTS, type Right } from './doctype.ts';

/** What a row that names no right at all allows: someone added a role and nothing else. */
export const USUAL_RIGHTS: readonly Right[] = [
  'read',
  'write',
  'create',
  'delete',
  'report',
  'export',
  'share',
  'print',
  'email',
];

/** Each right and the one it makes no sense without. */
const NEEDS: readonly (readonly [Right, Right])[] = [
  ['submit', 'write'],
  ['cancel', 'submit'],
  ['amend', 'cancel'],
  ['import', 'create'],
];

/** A permission row; null with its problem added when it names no role. */
export function parsePermission(definition: Definition, isSubmittable: boolean): DocPerm | null {
  const role = definition.text('role');
  if (role === '') {
    definition.refuse('role is required');
    return null;
  }
  const named = definition.titled(`Permission of ${role}`);
  const rights = new Set(RIGHTS.filter((right) => named.flag(right)));
  if (!RIGHTS.some((right) => named.has(right))) for (const right of USUAL_RIGHTS) rights.add(right);
  const permission = {
    role,
    permlevel: named.count('permlevel', 9),
    if_owner: named.flag('if_owner'),
    rights,
  };
  if (permission.permlevel === 0) {
    for (const [right, needed] of NEEDS) {
      if (rights.has(right) && !rights.has(needed)) named.refuse(`${right} needs ${needed}`);
    }
  }
  if (!isSubmittable && rights.has('submit')) named.refuse('submit is for submittable doctypes');
  return Object.freeze(permission);
}

/** Adds a problem for each second row of one role, level and if_owner. */
export function checkPermissionsUnique(permissions: readonly DocPerm[], definition: Definition): void {
  const seen = new Set<string>();
  for (const { role, permlevel, if_owner } of permissions) {
    const key = JSON.stringify([role, permlevel, if_owner]);
    if (seen.has(key)) definition.refuse(`two permission rows for ${role} at level ${permlevel}`);
    seen.add(key);
  }
}
