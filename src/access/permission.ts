import type { DocType, DoctypeRegistry, Right } from '../doctype/doctype.ts';
import { RIGHTS } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { memo2 } from '../kernel/memo.ts';
import type { ShareRight } from './grants.ts';
import { isDoctypeInScope, isInScope } from './key-scope.ts';
import { type CurrentUser, isSystemManager } from './user.ts';

/** The reach of a right by roles: every document, the user's own documents, or none. */
export type Reach = 'all' | 'own' | 'none';

/** The reach with both parts separate: User Permissions restrict `all` and leave `own` alone. */
export interface RoleReach {
  readonly all: boolean;
  readonly own: boolean;
}

type Reaches = Readonly<Record<Right, RoleReach>>;

// Registries replace doctypes, and authentication keeps a user's role set, so both serve as cache keys. A
// decision on the hot path takes two lookups, and unused entries are collected.
const reachesFor = memo2(reachesOf);

/** The reach of `right` for this user, by the doctype's rows at permlevel 0. Roles add up. */
export function reachOf(user: CurrentUser, doctype: DocType, right: Right): Reach {
  const { all, own } = roleReach(user, doctype, right);
  if (all) return 'all';
  // A new document has no owner yet; its creator becomes the owner.
  if (own) return right === 'create' ? 'all' : 'own';
  return 'none';
}

/** The same in detail: reach over all documents, and over the user's own. */
export function roleReach(user: CurrentUser, doctype: DocType, right: Right): RoleReach {
  if (user.scope !== null && !isInScope(user, doctype, right)) return NONE;
  if (user.isAdministrator) return EVERY;
  // A child row is reached through its parent. Only its list is open, to System Managers.
  if (doctype.istable) return isReading(right) && isSystemManager(user) ? EVERY : NONE;
  return reachesFor(doctype, user.roles)[right];
}

const EVERY: RoleReach = { all: true, own: false };
const NONE: RoleReach = { all: false, own: false };

function reachesOf(doctype: DocType, roles: ReadonlySet<string>): Reaches {
  const reaches = Object.fromEntries(RIGHTS.map((right) => [right, NONE])) as Record<Right, RoleReach>;
  for (const row of doctype.permissions) {
    if (row.permlevel !== 0 || !roles.has(row.role)) continue;
    for (const right of row.rights) reaches[right] = widened(reaches[right], row.if_owner);
    // The read right includes the select right.
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

/** The right of a share that gives this right to the document; null when no share can give it. */
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
 * True when a role or share may give the user the right on some document of the doctype. `rowFilter` then
 * restricts a list, and `requireRight` decides about one document.
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

/** @throws ServiceError PermissionError, with the same message for existing and missing documents */
export function requirePermission(user: CurrentUser, doctype: DocType, right: Right): void {
  if (!allows(user, doctype, right)) throw refusal(doctype, right);
}

/** The error of `requirePermission`. Also used for a missing document when the right is missing, too. */
export function refusal(doctype: DocType, right: Right): ServiceError {
  return new ServiceError('PermissionError', `No permission to ${right} ${doctype.name}`, {
    title: 'Not permitted',
  });
}

/**
 * True when the user may read the DocType record of `doctype`, by the right to read or select its documents.
 * With a registry, readers of a parent may also read the record of its child doctype.
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
