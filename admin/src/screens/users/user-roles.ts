/** The roles of a user: their own, or those of a profile. */
export interface UserRoles {
  /** '' is none: then the user has the roles that are given one by one. */
  readonly profile: string;
  readonly names: readonly string[];
}

/** The roles in a document of User. */
export function rolesOf(doc: Readonly<Record<string, unknown>>): UserRoles {
  const rows = Array.isArray(doc['roles']) ? (doc['roles'] as readonly { readonly role?: unknown }[]) : [];
  return {
    profile: String(doc['role_profile_name'] ?? ''),
    names: rows.map(({ role }) => String(role ?? '')),
  };
}

/** Adds or removes a role; the order of the others stays. */
export function withRole(before: UserRoles, role: string, isOn: boolean): UserRoles {
  const rest = before.names.filter((name) => name !== role);
  return { ...before, names: isOn ? [...rest, role] : rest };
}

/**
 * The roles to choose from: those that can be given, and those that the user has anyway; narrowed by a text.
 */
export function choosable(all: readonly string[], { names }: UserRoles, text: string): readonly string[] {
  const wanted = text.trim().toLocaleLowerCase();
  return [...new Set([...all, ...names])]
    .filter((name) => name.toLocaleLowerCase().includes(wanted))
    .toSorted((one, other) => one.localeCompare(other));
}
