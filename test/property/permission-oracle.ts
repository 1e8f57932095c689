import fc from 'fast-check';
import type { DocPerm, Right } from '../../src/doctype/doctype.ts';

/** Who may do what with the documents of one doctype, said plainly: no SQL, no caches, nothing of the server's. */

export const USERS = ['ann@example.com', 'ben@example.com'] as const;
export const ROLES = ['Author', 'Reviewer'] as const;
/** Each region and the one above it. */
export const REGIONS: Readonly<Record<string, string | null>> = {
  World: null,
  Asia: 'World',
  India: 'Asia',
  Europe: 'World',
};
export const ITEMS = ['i0', 'i1', 'i2', 'i3', 'i4'];

export interface Item {
  readonly name: string;
  readonly owner: string;
  readonly region: string | null;
  readonly buddy: string | null;
  readonly lines: readonly (string | null)[];
}

export interface Permission {
  readonly allow: 'Region' | 'Item';
  readonly for_value: string;
  readonly applicable_for: string | null;
  readonly hide_descendants: 0 | 1;
}

export interface Share {
  readonly share_name: string;
  readonly user: string | null;
  readonly write: 0 | 1;
}

export interface World {
  readonly user: string;
  readonly roles: readonly string[];
  readonly rows: readonly DocPerm[];
  readonly items: readonly Item[];
  readonly permissions: readonly Permission[];
  readonly shares: readonly Share[];
  readonly strict: boolean;
}

const region = fc.constantFrom(null, '', ...Object.keys(REGIONS));
const flag = fc.constantFrom<0 | 1>(0, 1);

export const world: fc.Arbitrary<World> = fc.record({
  user: fc.constantFrom(...USERS),
  roles: fc.subarray([...ROLES]),
  rows: fc.array(
    fc.record({
      role: fc.constantFrom(...ROLES, 'All'),
      permlevel: fc.constantFrom(0, 0, 0, 1),
      if_owner: fc.boolean(),
      rights: fc
        .subarray<Right>(['read', 'write', 'delete'], { minLength: 1 })
        .map((rights): ReadonlySet<Right> => new Set(rights)),
    }),
    { maxLength: 4 },
  ),
  items: fc.tuple(
    ...ITEMS.map((name) =>
      fc.record({
        name: fc.constant(name),
        owner: fc.constantFrom(...USERS, 'Administrator'),
        region,
        buddy: fc.constantFrom(null, null, ...ITEMS),
        lines: fc.array(region, { maxLength: 2 }),
      }),
    ),
  ),
  permissions: fc.array(
    fc.oneof(
      fc.record({
        allow: fc.constant('Region' as const),
        for_value: fc.constantFrom(...Object.keys(REGIONS)),
        applicable_for: fc.constantFrom(null, null, 'Item', 'Region'),
        hide_descendants: flag,
      }),
      fc.record({
        allow: fc.constant('Item' as const),
        for_value: fc.constantFrom(...ITEMS),
        applicable_for: fc.constantFrom(null, 'Item', 'Region'),
        hide_descendants: flag,
      }),
    ),
    { maxLength: 3 },
  ),
  shares: fc.array(
    fc.record({ share_name: fc.constantFrom(...ITEMS), user: fc.constantFrom(null, ...USERS), write: flag }),
    { maxLength: 2 },
  ),
  strict: fc.boolean(),
});

export function may(world: World, right: 'read' | 'write' | 'delete', item: Item): boolean {
  const rows = mine(world).filter((row) => row.permlevel === 0 && row.rights.has(right));
  if (rows.some((row) => !row.if_owner) && isWithin(world, item)) return true;
  if (rows.some((row) => row.if_owner) && item.owner === world.user) return true;
  if (right === 'delete') return false;
  return world.shares.some(
    (share) =>
      share.share_name === item.name &&
      (share.user === null || share.user === world.user) &&
      (right === 'read' || share.write === 1),
  );
}

/** Whether fields at level 1 are open to the user. */
export function mayAtLevel(world: World, right: 'read' | 'write'): boolean {
  return mine(world).some((row) => row.permlevel === 1 && !row.if_owner && row.rights.has(right));
}

function mine({ rows, roles }: World): DocPerm[] {
  return rows.filter((row) => row.role === 'All' || roles.includes(row.role));
}

function isWithin(world: World, item: Item): boolean {
  const regions = valuesFor(world, 'Region');
  const items = valuesFor(world, 'Item');
  const passes = (value: string | null, among: ReadonlySet<string> | null) =>
    among === null || (value === null || value === '' ? !world.strict : among.has(value));
  return (
    (items === null || items.has(item.name)) &&
    passes(item.buddy, items) &&
    [item.region, ...item.lines].every((value) => passes(value, regions))
  );
}

function valuesFor({ permissions }: World, allow: Permission['allow']): Set<string> | null {
  const applicable = permissions.filter(
    (one) => one.allow === allow && (one.applicable_for === null || one.applicable_for === 'Item'),
  );
  if (applicable.length === 0) return null;
  const values = new Set<string>();
  for (const { for_value, hide_descendants } of applicable) {
    values.add(for_value);
    if (allow === 'Item' || hide_descendants === 1) continue;
    for (const name of Object.keys(REGIONS)) if (isBelow(name, for_value)) values.add(name);
  }
  return values;
}

function isBelow(name: string, top: string): boolean {
  const above = REGIONS[name] ?? null;
  return above !== null && (above === top || isBelow(above, top));
}
