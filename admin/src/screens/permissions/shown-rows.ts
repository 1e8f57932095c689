import { byPlace, keyOf, type PermissionRow, type Place } from './permission-rows.ts';
import type { Matrix } from './use-permissions.ts';

/** The rows of the matrix; those with the same `group` stand below one heading. */
export interface ShownRow extends Place {
  readonly key: string;
  readonly group: string;
}

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

/** The rows with rights, in the order of the matrix, for the rules in words. */
export function granted(matrix: Matrix, rows: readonly ShownRow[]): readonly PermissionRow[] {
  return rows
    .map((row) => ({ ...row, rights: matrix.rightsOf(row) }))
    .filter(({ rights }) => rights.size > 0);
}
