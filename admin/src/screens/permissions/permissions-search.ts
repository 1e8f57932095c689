import { RIGHT_NAMES, type RightName } from '../../data/boot.ts';

export type Part = 'roles' | 'users' | 'shares' | 'why';

/** What the address of the screen says. */
export interface PermissionsSearch {
  readonly part: Part;
  readonly doctype: string;
  readonly role: string;
  readonly user: string;
  readonly name: string;
  readonly right: RightName;
}

/** Reads the address; users can edit it. */
export function readPermissionsSearch(search: Readonly<Record<string, unknown>>): PermissionsSearch {
  const text = (key: string) => (search[key] === undefined ? '' : String(search[key]));
  const part = text('tab');
  return {
    part: part === 'users' || part === 'shares' || part === 'why' ? part : 'roles',
    doctype: text('doctype'),
    role: text('role'),
    user: text('user'),
    name: text('name'),
    right: RIGHT_NAMES.find((one) => one === text('right')) ?? 'read',
  };
}
