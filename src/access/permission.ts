import type { DocType, DoctypeRegistry, Right } from '../doctype/doctype.ts';
import { RIGHTS } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { ShareRight } from './grants.ts';
import { isDoctypeInScope, isInScope } from './key-scope.ts';
import { type CurrentUser, isSystemManager } from './user.ts';

/** How far a right reaches by roles: every document, only those whose owner is the user, or none. */
export type Reach = 'all' | 'own' | 'none';

/** The same with both ways apart: User Permissions narrow what reaches every document, and leave owners theirs. */
export interface RoleReach {
  readonly all: boolean;
  readonly own: boolean;
}

type Reaches = Readonly<Record<Right, RoleReach>>;

// Registries replace doctypes and authentication keeps the role set of a user, so both are good identities: a
// decision on the hot path is two lookups, and what is no longer used is collected.
const known = new WeakMap<DocType, WeakMap<ReadonlySet<string>, Reaches>>();

/** How far `right` reaches for this user, by the doctype's rows at permlevel 0, or-ed over roles. */
export function reachOf(user: CurrentUser, doctype: DocType, right: Right): Reach {
  const { all, own } = roleReach(user, doctype, right);
  if (all) return 'all';
  // A document that does not exist yet has no owner to compare with: its creator will be.
  if (own) return right === 'create' ? 'all' : 'own';
  return 'none';
}

/** The same in detail: what reaches every document, and what only the user's own. */
export function roleReach(user: CurrentUser, doctype: DocType, right: Right): RoleReach {
  if (user.scope !== null && !isInScope(user, doctype, right)) return NONE;
  if (user.isAdministrator) return EVERY;
  // A child row is reached through its parent; only its list is open, to system managers.
  if (doctype.istable) return isReading(right) && isSystemManager(user) ? EVERY : NONE;
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

const EVERY: RoleReach = { all: true, own: false };
const NONE: RoleReach = { all: false, own: false };

function reachesOf(doctype: DocType, roles: ReadonlySet<string>): Reaches {
  const reaches = Object.fromEntries(RIGHTS.map((right) => [right, NONE])) as Record<Right, RoleReach>;
  for (const row of doctype.permissions) {
    if (row.permlevel !== 0 || !roles.has(row.role)) continue;
    for (const right of row.rights) reaches[right] = widened(reaches[right], row.if_owner);
    // Who may open a document may also pick it from a list.
    if (row.rights.has('read')) reaches.select = widened(reaches.select, row.if_owner);
  }
  return reaches;
}

function widened(reach: RoleReach, onlyOwn: boolean): RoleReach {
  return onlyOwn ? { ...reach, own: true } : { ...reach, all: true };
}

function isReading(right: Right): boolean {
  return right === 'read' || right === 'select';
}

/** The right of a share that gives this right to the document; null when none does. */
export function shareRightFor(right: Right): ShareRight | null {
  return SHARED_BY[right] ?? null;
}

const SHARED_BY: Readonly<Partial<Record<Right, ShareRight>>> = {
  read: 'read',
  select: 'read',
  print: 'read',
  email: 'read',
  write: 'write',
  submit: 'submit',
  share: 'share',
};

/**
 * True when the user has the right on some document of the doctype, by a role or by a share: a list then narrows itself
 * by `rowFilter`, and `requireRight` decides about one document.
 */
export function allows(user: CurrentUser, doctype: DocType, right: Right): boolean {
  return reachOf(user, doctype, right) !== 'none' || mayBeShared(user, doctype, right);
}

/** True when documents of the doctype are shared with the user, or with everyone, with this right. */
export function mayBeShared(user: CurrentUser, doctype: DocType, right: Right): boolean {
  const shareRight = user.grants && shareRightFor(right);
  if (user.scope !== null && !isInScope(user, doctype, right)) return false;
  return shareRight ? (user.grants?.shares.get(doctype.name)?.has(shareRight) ?? false) : false;
}

/** @throws ServiceError PermissionError, in the same words whether the document exists or not. */
export function requirePermission(user: CurrentUser, doctype: DocType, right: Right): void {
  if (!allows(user, doctype, right)) throw refusal(doctype, right);
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
  if (isSystemManager(user) && isDoctypeInScope(user, doctype.name)) return true;
  if (!doctype.istable) return allows(user, doctype, 'select');
  const parents = registry?.parentsOf(doctype.name) ?? [];
  return parents.some((parent) => !parent.doctype.istable && allows(user, parent.doctype, 'select'));
}
