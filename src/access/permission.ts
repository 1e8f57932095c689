import type { DocType, DoctypeRegistry, Right } from '../doctype/doctype.ts';
import { RIGHTS } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type CurrentUser, isSystemManager } from './user.ts';

/** How far a right reaches: every document, only those whose owner is the user, or none. */
export type Reach = 'all' | 'own' | 'none';

type Reaches = Readonly<Record<Right, Reach>>;

// Registries replace doctypes and authentication keeps the role set of a user, so both are good identities: a
// decision on the hot path is two lookups, and what is no longer used is collected.
const known = new WeakMap<DocType, WeakMap<ReadonlySet<string>, Reaches>>();

/** How far `right` reaches for this user, by the doctype's rows at permlevel 0, or-ed over roles. */
export function reachOf(user: CurrentUser, doctype: DocType, right: Right): Reach {
  if (user.isAdministrator) return 'all';
  // A child row is reached through its parent; only its list is open, to system managers.
  if (doctype.istable) return isReading(right) && isSystemManager(user) ? 'all' : 'none';
  let byRoles = known.get(doctype);
  if (!byRoles) {
    byRoles = new WeakMap();
    known.set(doctype, byRoles);
  }
  let reaches = byRoles.get(user.roles);
  if (!reaches) {
    reaches = reachesOf(doctype, user.roles);
    byRoles.set(user.roles, reaches);
  }
  return reaches[right];
}

function reachesOf(doctype: DocType, roles: ReadonlySet<string>): Reaches {
  const reaches = Object.fromEntries(RIGHTS.map((right) => [right, 'none'])) as Record<Right, Reach>;
  for (const row of doctype.permissions) {
    if (row.permlevel !== 0 || !roles.has(row.role)) continue;
    for (const right of row.rights) widen(reaches, right, row.if_owner);
    // Who may open a document may also pick it from a list.
    if (row.rights.has('read')) widen(reaches, 'select', row.if_owner);
  }
  return reaches;
}

function widen(reaches: Record<Right, Reach>, right: Right, onlyOwn: boolean): void {
  // A document that does not exist yet has no owner to compare with: its creator will be.
  if (!onlyOwn || right === 'create') reaches[right] = 'all';
  else if (reaches[right] === 'none') reaches[right] = 'own';
}

function isReading(right: Right): boolean {
  return right === 'read' || right === 'select';
}

/**
 * True when the user has the right: on `doc` when it is given, otherwise on some document of the doctype (a list
 * then narrows itself by `rowFilter`).
 */
export function allows(
  user: CurrentUser,
  doctype: DocType,
  right: Right,
  doc?: { readonly owner: string },
): boolean {
  const reach = reachOf(user, doctype, right);
  if (reach === 'all') return true;
  if (reach === 'none') return false;
  return doc === undefined || doc.owner === user.name;
}

/** @throws ServiceError PermissionError, in the same words whether the document exists or not. */
export function requirePermission(
  user: CurrentUser,
  doctype: DocType,
  right: Right,
  doc?: { readonly owner: string },
): void {
  if (!allows(user, doctype, right, doc)) throw refusal(doctype, right);
}

/** The refusal that `requirePermission` throws: for a missing document, when the right is missing too. */
export function refusal(doctype: DocType, right: Right): ServiceError {
  return new ServiceError('PermissionError', `No permission to ${right} ${doctype.name}`, {
    title: 'Not permitted',
  });
}

/**
 * True when the user may read the DocType record of `doctype`: whoever may read (or select) its documents may. With a
 * registry, a child doctype's record is open to whoever may read one of its parents.
 */
export function mayReadDoctypeRecord(
  user: CurrentUser,
  doctype: DocType,
  registry?: DoctypeRegistry,
): boolean {
  if (isSystemManager(user)) return true;
  if (!doctype.istable) return allows(user, doctype, 'select');
  const parents = registry?.parentsOf(doctype.name) ?? [];
  return parents.some((parent) => !parent.doctype.istable && allows(user, parent.doctype, 'select'));
}
