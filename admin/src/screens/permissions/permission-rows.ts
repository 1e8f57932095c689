import type { RightName } from '../../data/boot.ts';

/** The place of a row: a role at a level, for all documents or the user's own. */
export interface Place {
  readonly doctype: string;
  readonly role: string;
  readonly permlevel: number;
  readonly ifOwner: boolean;
}

/** The rights of a role on a doctype. A row without rights is as good as none. */
export interface PermissionRow extends Place {
  readonly rights: ReadonlySet<RightName>;
}

/** A row before and after a change. */
export interface RowChange extends Place {
  readonly was: ReadonlySet<RightName>;
  readonly rights: ReadonlySet<RightName>;
}

/** Unsaved rights by the key of their row. */
export type Draft = ReadonlyMap<string, PermissionRow>;

export function keyOf({ doctype, role, permlevel, ifOwner }: Place): string {
  return JSON.stringify([doctype, role, permlevel, ifOwner]);
}

const NONE: ReadonlySet<RightName> = new Set();

/** Each right with those that it requires; the server refuses a row without them. */
const NEEDS: Readonly<Partial<Record<RightName, readonly RightName[]>>> = {
  submit: ['write'],
  cancel: ['submit', 'write'],
  amend: ['write', 'create'],
  import: ['create'],
};

/** The rights after one is granted or withdrawn, with those that it requires or that require it. */
export function withRight(
  rights: ReadonlySet<RightName>,
  right: RightName,
  isOn: boolean,
): ReadonlySet<RightName> {
  const next = new Set(rights);
  if (isOn) for (const one of [right, ...(NEEDS[right] ?? [])]) next.add(one);
  else {
    next.delete(right);
    for (const one of rights) if (NEEDS[one]?.includes(right)) next.delete(one);
  }
  return next;
}

/** The rights of one of two states of a row that the other lacks. */
export function without(a: ReadonlySet<RightName>, b: ReadonlySet<RightName>): RightName[] {
  return [...a].filter((right) => !b.has(right));
}

/** Rows by key. */
export function byKey(rows: readonly PermissionRow[]): ReadonlyMap<string, PermissionRow> {
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** The rights of a row, or none. */
export function rightsAt(rows: ReadonlyMap<string, PermissionRow>, place: Place): ReadonlySet<RightName> {
  return rows.get(keyOf(place))?.rights ?? NONE;
}

/** The draft with the rights of one row; without a difference to the stored row, the draft forgets it. */
export function withRow(draft: Draft, stored: ReadonlyMap<string, PermissionRow>, row: PermissionRow): Draft {
  const next = new Map(draft);
  if (isSame(rightsAt(stored, row), row.rights)) next.delete(keyOf(row));
  else next.set(keyOf(row), row);
  return next;
}

/** What the draft changes, ordered by doctype and role. */
export function changesOf(draft: Draft, stored: ReadonlyMap<string, PermissionRow>): readonly RowChange[] {
  return [...draft.values()]
    .map((row) => ({ ...row, was: rightsAt(stored, row) }))
    .filter(({ was, rights }) => !isSame(was, rights))
    .toSorted(byPlace);
}

/** The changes that undo these. */
export function reversed(changes: readonly RowChange[]): readonly RowChange[] {
  return changes.map((change) => ({ ...change, was: change.rights, rights: change.was }));
}

/** The draft that restores the rows of a definition. */
export function restored(
  draft: Draft,
  stored: ReadonlyMap<string, PermissionRow>,
  shipped: readonly PermissionRow[],
  doctype: string,
): Draft {
  const wanted = byKey(shipped);
  const places = [...stored.values(), ...draft.values(), ...shipped].filter((row) => row.doctype === doctype);
  return places.reduce<Draft>(
    (next, place) => withRow(next, stored, { ...place, rights: rightsAt(wanted, place) }),
    draft,
  );
}

export function isSame(a: ReadonlySet<RightName>, b: ReadonlySet<RightName>): boolean {
  return a.size === b.size && [...a].every((right) => b.has(right));
}

/** Order of a doctype's rows: by level, role and owner. */
export function byPlace(a: Place, b: Place): number {
  return (
    a.doctype.localeCompare(b.doctype) ||
    a.permlevel - b.permlevel ||
    a.role.localeCompare(b.role) ||
    Number(a.ifOwner) - Number(b.ifOwner)
  );
}
