import type { Grants } from './grants.ts';
import type { KeyScope } from './key-scope.ts';

/** Who acts. Administrator passes every check; Guest is everyone without credentials. */
export interface CurrentUser {
  readonly name: string;
  /** Includes the automatic roles: Guest for everyone, All for everyone signed in, Desk User for System Users. */
  readonly roles: ReadonlySet<string>;
  readonly isAdministrator: boolean;
  readonly isGuest: boolean;
  /** What this user has beside roles: User Permissions and shares. Null, as for most: nothing. */
  readonly grants: Grants | null;
  /** What the credential of this request leaves of these rights; null: all. */
  readonly scope: KeyScope | null;
  /** Which key or token the request is signed with; null for none. */
  readonly credential: string | null;
}

/** What makes a user besides name and roles. */
export interface UserTraits {
  /** The User document's `user_type`. */
  readonly userType?: string;
  readonly grants?: Grants | null;
  readonly scope?: KeyScope | null;
  readonly credential?: string | null;
}

export function currentUser(name: string, roles: Iterable<string>, traits: UserTraits = {}): CurrentUser {
  const isGuest = name === 'Guest';
  const automatic = isGuest ? ['Guest'] : ['Guest', 'All'];
  if (!isGuest && traits.userType === 'System User') automatic.push('Desk User');
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

export const ADMINISTRATOR = currentUser('Administrator', ['System Manager'], { userType: 'System User' });
export const GUEST = currentUser('Guest', []);

/** May do what `interface.md` calls "admin only": user Administrator or role System Manager. */
export function isSystemManager(user: CurrentUser): boolean {
  return user.isAdministrator || user.roles.has('System Manager');
}
