import type { Definition } from './definition.ts';
import { type DocPerm, RIGHTS, type Right } from './doctype.ts';

/** Each right, with the right that it requires. */
const NEEDS: readonly (readonly [Right, Right])[] = [
  ['submit', 'write'],
  ['cancel', 'submit'],
  ['amend', 'cancel'],
  ['import', 'create'],
];

/**
 * A permission row, which grants the rights that it names; null with its problem added when it has no role.
 */
export function parsePermission(definition: Definition, isSubmittable: boolean): DocPerm | null {
  const role = definition.text('role');
  if (role === '') {
    definition.refuse('role is required');
    return null;
  }
  const named = definition.titled(`Permission of ${role}`);
  const rights = new Set(RIGHTS.filter((right) => named.flag(right)));
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
  if (!isSubmittable && rights.has('submit')) named.refuse('submit is only for submittable doctypes');
  return Object.freeze(permission);
}

/** Adds a problem for each duplicate of a role, level and if_owner. */
export function checkPermissionsUnique(permissions: readonly DocPerm[], definition: Definition): void {
  const seen = new Set<string>();
  for (const { role, permlevel, if_owner } of permissions) {
    const key = JSON.stringify([role, permlevel, if_owner]);
    if (seen.has(key)) definition.refuse(`two permission rows for ${role} at level ${permlevel}`);
    seen.add(key);
  }
}
