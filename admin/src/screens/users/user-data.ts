import { queryOptions } from '@tanstack/react-query';
import { callMethod } from '../../data/api.ts';
import {
  countRows,
  createDocument,
  deleteDocument,
  type Filter,
  type ListQuery,
  listRows,
  readDocument,
  updateDocument,
} from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';
import { rolesOf, type UserRoles } from './user-roles.ts';

export type Shown = 'all' | 'enabled' | 'disabled';

/** The user of requests without a sign-in. */
const NOBODY = 'Guest';

/** The query for the rows and the count of users. */
export function usersQuery(text: string, shown: Shown): ListQuery {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const filters: Filter[] = [['name', '!=', NOBODY]];
  if (shown !== 'all') filters.push(['enabled', '=', shown === 'enabled' ? 1 : 0]);
  const fields = ['name', 'full_name', 'enabled', 'last_login'];
  const order_by = 'full_name asc, name asc';
  if (text === '') return { fields, filters, order_by };
  return {
    fields,
    filters,
    order_by,
    or_filters: [
      ['full_name', 'like', pattern],
      ['name', 'like', pattern],
    ],
  };
}

/** The roles of several users, by user. */
export function rolesOfUsersQuery(users: readonly string[]) {
  return queryOptions({
    queryKey: [...keys.lists('User'), 'roles', users] as const,
    enabled: users.length > 0,
    queryFn: async ({ signal }) => {
      const rows = await listRows<{ parent: string; role: string }>(
        'Has Role',
        {
          parent: 'User',
          fields: ['parent', 'role'],
          filters: [
            ['parent', 'in', users],
            ['parenttype', '=', 'User'],
          ],
          order_by: 'idx asc',
          limit_page_length: 1_000,
        },
        { signal },
      );
      const found = new Map<string, string[]>();
      for (const { parent, role } of rows) found.set(parent, [...(found.get(parent) ?? []), role]);
      return found;
    },
  });
}

/** A user in the form. */
export interface User {
  readonly name: string;
  readonly etag: string | null;
  readonly fullName: string;
  readonly isEnabled: boolean;
  readonly lastLogin: string;
  readonly values: UserValues;
}

/** Values of the form. */
export interface UserValues {
  readonly firstName: string;
  readonly lastName: string;
  readonly username: string;
  readonly phone: string;
  readonly roles: UserRoles;
}

export function userQuery(name: string) {
  return queryOptions({
    queryKey: keys.doc('User', name),
    queryFn: async ({ signal }): Promise<User> => {
      const { doc, etag } = await readDocument('User', name, { signal });
      const text = (fieldname: string) => String(doc[fieldname] ?? '');
      return {
        name: doc.name,
        etag,
        fullName: text('full_name') || doc.name,
        isEnabled: doc['enabled'] === 1,
        lastLogin: text('last_login'),
        values: {
          firstName: text('first_name'),
          lastName: text('last_name'),
          username: text('username'),
          phone: text('phone'),
          roles: rolesOf(doc),
        },
      };
    },
  });
}

/** Saves the changes, unless another user changed this user since loading. */
export async function saveUser(user: User, values: UserValues): Promise<void> {
  const before = user.values;
  const fields = {
    ...(values.firstName === before.firstName ? {} : { first_name: values.firstName }),
    ...(values.lastName === before.lastName ? {} : { last_name: values.lastName }),
    ...(values.username === before.username ? {} : { username: values.username || null }),
    ...(values.phone === before.phone ? {} : { phone: values.phone || null }),
    ...(values.roles === before.roles
      ? {}
      : {
          role_profile_name: values.roles.profile || null,
          roles: values.roles.names.map((role) => ({ role })),
        }),
  };
  await updateDocument('User', user.name, fields, { etag: user.etag });
  await refreshUsers();
}

export async function enableUser(name: string, isEnabled: boolean): Promise<void> {
  await updateDocument('User', name, { enabled: isEnabled ? 1 : 0 });
  await refreshUsers();
}

/** A user who does not exist yet. */
export interface NewUserValues {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly roles: readonly string[];
}

/** Creates a user. Resolves to the name. */
export async function createUser({ email, firstName, lastName, roles }: NewUserValues): Promise<string> {
  const { doc } = await createDocument('User', {
    email: email.trim(),
    first_name: firstName.trim(),
    last_name: lastName.trim(),
    enabled: 1,
    ...(roles.length > 0 && { roles: roles.map((role) => ({ role })) }),
  });
  await refreshUsers();
  return doc.name;
}

/** Deletes a user. `leave` runs before any reload, because the deleted user's screen would fail. */
export async function deleteUser(name: string, leave: () => void): Promise<void> {
  await deleteDocument('User', name);
  leave();
  queryClient.removeQueries({ queryKey: keys.doc('User', name) });
  await queryClient.invalidateQueries({ queryKey: keys.lists('User') });
}

/** Sets another user's password. That user's sessions end. */
export async function setPassword(name: string, password: string): Promise<void> {
  await updateDocument('User', name, { new_password: password });
}

/** Mails a link for a new password. */
export async function mailPasswordLink(name: string): Promise<void> {
  await callMethod('frappe.core.doctype.user.user.reset_password', { user: name });
}

/** Removes the second factor of a user who lost it. */
export async function resetSecondFactor(name: string): Promise<void> {
  await callMethod('chancery.auth.reset_second_factor', { user: name });
}

/** Assignable roles. Automatic roles, which rules assign, are left out. */
export const rolesQuery = queryOptions({
  queryKey: keys.list('Role', {}),
  queryFn: async ({ signal }) => {
    const rows = await listRows<{ name: string }>(
      'Role',
      { fields: ['name'], filters: [['disabled', '=', 0]], order_by: 'name asc', limit_page_length: 1_000 },
      { signal },
    );
    return rows.map(({ name }) => name).filter((name) => !AUTOMATIC.has(name));
  },
});

const AUTOMATIC: ReadonlySet<string> = new Set(['Administrator', 'Guest', 'All', 'Desk User']);

/** Role profiles; empty if there are none or the user may not read them. */
export const profilesQuery = queryOptions({
  queryKey: keys.list('Role Profile', {}),
  queryFn: async ({ signal }) => {
    const query = { fields: ['name'], order_by: 'name asc', limit_page_length: 1_000 };
    return (await listRows<{ name: string }>('Role Profile', query, { signal })).map(({ name }) => name);
  },
});

/** The number of User Permissions that restrict the user. */
export function userPermissionsQuery(user: string) {
  const filters: Filter[] = [['user', '=', user]];
  return queryOptions({
    queryKey: keys.count('User Permission', { filters }),
    queryFn: ({ signal }) => countRows('User Permission', { filters }, { signal }),
  });
}

export async function refreshUsers(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: keys.lists('User') }),
    queryClient.invalidateQueries({ queryKey: ['doc', 'User'] }),
  ]);
}
