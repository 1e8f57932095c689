import { useQuery } from '@tanstack/react-query';
import { listRows } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';

/** A doctype to link to, or whose rows a table has. */
export interface NamedDoctype {
  readonly name: string;
  readonly istable?: number;
  readonly issingle?: number;
}

const QUERY = { fields: ['name', 'istable', 'issingle'], order_by: 'name asc', limit_page_length: 2000 };

/** The names of all doctypes. */
export function useDoctypes(): readonly NamedDoctype[] {
  const { data = [] } = useQuery({
    queryKey: keys.list('DocType', QUERY),
    queryFn: ({ signal }) => listRows<NamedDoctype>('DocType', QUERY, { signal }),
  });
  return data;
}

const ROLES = { fields: ['name'], order_by: 'name asc', limit_page_length: 500 };

/** The names of all roles. */
export function useRoles(): readonly string[] {
  const { data = [] } = useQuery({
    queryKey: keys.list('Role', ROLES),
    queryFn: ({ signal }) => listRows<{ readonly name: string }>('Role', ROLES, { signal }),
  });
  return data.map(({ name }) => name);
}
