/** Who acts. Administrator passes every check; Guest is everyone without credentials. */
export interface CurrentUser {
  readonly name: string;
  /** Includes the automatic roles: Guest for everyone, All for everyone signed in. */
  readonly roles: ReadonlySet<string>;
  readonly isAdministrator: boolean;
  readonly isGuest: boolean;
}

export function currentUser(name: string, roles: Iterable<string>): CurrentUser {
  const isGuest = name === 'Guest';
  const automatic = isGuest ? ['Guest'] : ['Guest', 'All'];
  return {
    name,
    roles: new Set([...automatic, ...roles]),
    isAdministrator: name === 'Administrator',
    isGuest,
  };
}

export const ADMINISTRATOR = currentUser('Administrator', ['System Manager']);
export const GUEST = currentUser('Guest', []);

/** May do what `interface.md` calls "admin only": user Administrator or role System Manager. */
export function isSystemManager(user: CurrentUser): boolean {
  return user.isAdministrator || user.roles.has('System Manager');
}
