/** The roles of a user, assigned one by one or by a profile. */
export interface UserRoles {
  /** '' without a profile; then the single roles apply. */
  readonly profile: string;
  readonly names: readonly string[];
}

/** The roles of a User document. */
export function rolesOf(doc: Readonly<Record<string, unknown>>): UserRoles {
  const rows = Array.isArray(doc['roles']) ? (doc['roles'] as readonly { readonly role?: unknown }[]) : [];
  return {
    profile: String(doc['role_profile_name'] ?? ''),
    names: rows.map(({ role }) => String(role ?? '')),
  };
}

/** Adds or removes a role and keeps the order of the others. */
export function withRole(before: UserRoles, role: string, isOn: boolean): UserRoles {
  const rest = before.names.filter((name) => name !== role);
  return { ...before, names: isOn ? [...rest, role] : rest };
}

/** The roles to choose from: all assignable ones and those that the user has already, filtered by a text. */
export function choosable(all: readonly string[], { names }: UserRoles, text: string): readonly string[] {
  const wanted = text.trim().toLocaleLowerCase();
  return [...new Set([...all, ...names])]
    .filter((name) => name.toLocaleLowerCase().includes(wanted))
    .toSorted((one, other) => one.localeCompare(other));
}
