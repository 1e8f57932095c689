import { RIGHT_NAMES, type RightName } from '../../data/boot.ts';
import { byPlace, keyOf, type PermissionRow, type Place } from './permission-rows.ts';
import type { Matrix } from './use-permissions.ts';

/** The rows of the matrix; those with the same `group` stand below one heading. */
export interface ShownRow extends Place {
  readonly key: string;
  readonly group: string;
}

/** Rights that apply to fields of a level above 0. */
const OF_FIELDS: ReadonlySet<RightName> = new Set(['read', 'write']);
const OF_SUBMITTABLE: ReadonlySet<RightName> = new Set(['submit', 'cancel', 'amend']);

/** The rows of a doctype: those in force, those of its definition, and those added in this draft. */
export function rowsOfDoctype(matrix: Matrix, doctype: string): readonly ShownRow[] {
  const places = [...matrix.stored.values(), ...matrix.shipped.values(), ...matrix.draft.values()];
  return shown(places.filter((place) => place.doctype === doctype)).map((row) => ({
    ...row,
    group: String(row.permlevel),
  }));
}

/** The rows of a role in all doctypes; with `isAll` also an empty row for each doctype without one. */
export function rowsOfRole(matrix: Matrix, role: string, text: string, isAll: boolean): readonly ShownRow[] {
  const places = [...matrix.stored.values(), ...matrix.shipped.values(), ...matrix.draft.values()];
  const own = shown(places.filter((place) => place.role === role));
  const has = new Set(own.filter(({ permlevel }) => permlevel === 0).map(({ doctype }) => doctype));
  const missing = isAll
    ? matrix.doctypes
        .filter(({ name }) => !has.has(name))
        .map(({ name }) => ({ doctype: name, role, permlevel: 0, ifOwner: false }))
    : [];
  const modules = new Map(matrix.doctypes.map(({ name, module }) => [name, module]));
  const wanted = text.trim().toLowerCase();
  return shown([...own, ...missing])
    .filter(({ doctype }) => doctype.toLowerCase().includes(wanted))
    .map((row) => ({ ...row, group: modules.get(row.doctype) ?? '' }))
    .toSorted((a, b) => a.group.localeCompare(b.group) || byPlace(a, b));
}

function shown(places: readonly Place[]) {
  const found = new Map(places.map((place) => [keyOf(place), place]));
  return [...found].map(([key, place]) => ({ ...place, key })).toSorted(byPlace);
}

/** Whether a right can be granted in a row. */
export function applies(place: Place, right: RightName, isSubmittable: boolean): boolean {
  if (place.permlevel > 0) return OF_FIELDS.has(right);
  return isSubmittable || !OF_SUBMITTABLE.has(right);
}

/** The columns of a matrix: without those of submissions where no doctype can be submitted. */
export function columnsFor(isSubmittable: boolean): readonly RightName[] {
  return RIGHT_NAMES.filter((right) => isSubmittable || !OF_SUBMITTABLE.has(right));
}

/** The rows with rights, in the order of the matrix, for the rules in words. */
export function granted(matrix: Matrix, rows: readonly ShownRow[]): readonly PermissionRow[] {
  return rows
    .map((row) => ({ ...row, rights: matrix.rightsOf(row) }))
    .filter(({ rights }) => rights.size > 0);
}
