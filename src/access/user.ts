import type { Row } from '../db/database.ts';
import type { Grants } from './grants.ts';

/**
 * The limits of a credential. A scope only removes rights. Every limited credential has one, even if only its
 * lifetime or addresses are limited: it must not make or change keys.
 */
export interface KeyScope {
  /** The credential is read-only. */
  readonly readOnly: boolean;
  /** The allowed doctypes; null: all. */
  readonly doctypes: ReadonlySet<string> | null;
  /** The allowed methods; null: all. */
  readonly methods: ReadonlySet<string> | null;
  /** Equal scopes have equal marks. */
  readonly mark: string;
}

/** The acting user. Administrator passes every check; Guest stands for requests without credentials. */
export interface CurrentUser {
  readonly name: string;
  /**
   * Includes the automatic roles: Guest for everyone, All for signed-in users, Desk User for users with a role
   * that has access to the desk.
   */
  readonly roles: ReadonlySet<string>;
  readonly isAdministrator: boolean;
  readonly isGuest: boolean;
  /** The user's grants besides roles: User Permissions and shares. Null for none, as for most users. */
  readonly grants: Grants | null;
  /** The limits of the request's credential; null: none. */
  readonly scope: KeyScope | null;
  /** The key or token of the request; null for none. */
  readonly credential: string | null;
}

/** A user's properties besides name and roles. */
export interface UserTraits {
  /** One of the roles has access to the desk. */
  readonly hasDesk?: boolean;
  readonly grants?: Grants | null;
  readonly scope?: KeyScope | null;
  readonly credential?: string | null;
}

export function currentUser(name: string, roles: Iterable<string>, traits: UserTraits = {}): CurrentUser {
  const isGuest = name === 'Guest';
  const automatic = isGuest ? ['Guest'] : ['Guest', 'All'];
  if (!isGuest && traits.hasDesk) automatic.push('Desk User');
  return {
    name,
    roles: new Set([...automatic, ...roles]),
    isAdministrator: name === 'Administrator',
    isGuest,
    grants: traits.grants ?? null,
    scope: traits.scope ?? null,
    credential: traits.credential ?? null,
  };
}

/** The roles in rows of a user joined with the enabled roles, and whether the user has access to the desk. */
export function rolesIn(user: string, rows: readonly Row[]): { roles: string[]; hasDesk: boolean } {
  const enabled = rows.filter(({ role }) => typeof role === 'string');
  return {
    roles: enabled.map(({ role }) => String(role)),
    hasDesk: user === 'Administrator' || enabled.some(({ desk_access }) => desk_access === 1),
  };
}

export const ADMINISTRATOR = currentUser('Administrator', ['System Manager'], { hasDesk: true });
export const GUEST = currentUser('Guest', []);

/** True for what `interface.md` calls "admin only": user Administrator or role System Manager. */
export function isSystemManager(user: CurrentUser): boolean {
  return user.isAdministrator || user.roles.has('System Manager');
}
