import type { Definition } from './definition.ts';
import { type DocPerm, RIGHTS, type Right } from './doctype.ts';

/** Each right, with the right that it requires. */
const NEEDS: readonly (readonly [Right, Right])[] = [
  ['submit', 'write'],
  ['cancel', 'submit'],
  ['amend', 'write'],
  ['amend', 'create'],
  ['import', 'create'],
];

/**
 * A permission row, which grants the rights that it names and can have; null with its problem added when it
 * has no role.
 */
export function parsePermission(definition: Definition, isSubmittable: boolean): DocPerm | null {
  const role = definition.text('role');
  if (role === '') {
    definition.refuse('role is required');
    return null;
  }
  const named = definition.titled(`Permission of ${role}`);
  const asked = new Set(RIGHTS.filter((right) => named.flag(right)));
  const permlevel = named.count('permlevel', 9);
  const rights = new Set(asked);
  const withhold = (right: Right, problem: string) => {
    named.odd(problem, `${right} is not granted`);
    rights.delete(right);
  };
  for (const [right, needed] of permlevel === 0 ? NEEDS : []) {
    if (asked.has(right) && !asked.has(needed)) withhold(right, `${right} needs ${needed}`);
  }
  if (!isSubmittable && asked.has('submit')) withhold('submit', 'submit is only for submittable doctypes');
  if (asked.size === 0) named.note('names no right and grants none');
  return Object.freeze({ role, permlevel, if_owner: named.flag('if_owner'), rights });
}

/** Adds a problem for each duplicate of a role, level and if_owner. */
export function checkPermissionsUnique(permissions: readonly DocPerm[], definition: Definition): void {
  const seen = new Set<string>();
  for (const { role, permlevel, if_owner } of permissions) {
    const key = JSON.stringify([role, permlevel, if_owner]);
    if (seen.has(key)) {
      definition.odd(`two permission rows for ${role} at level ${permlevel}`, 'both apply');
    }
    seen.add(key);
  }
}
