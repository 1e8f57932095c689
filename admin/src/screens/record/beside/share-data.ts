import { queryOptions } from '@tanstack/react-query';
import { callMethod, readMethod } from '../../../data/api.ts';
import { keys } from '../../../data/keys.ts';
import type { Marked } from '../../../data/marks.ts';

/** Whom a document is shared with; `user` is null for everyone who is signed in. */
export interface SharedWith {
  readonly user: string | null;
  readonly rights: ReadonlySet<SharedRight>;
}

/** A right that a share can give besides reading. */
export type SharedRight = 'write' | 'submit' | 'share';
export const SHARED_RIGHTS: readonly SharedRight[] = ['write', 'submit', 'share'];

type WireShare = { readonly user: string | null; readonly everyone: 0 | 1 } & {
  readonly [right in SharedRight]: 0 | 1;
};

/** The shares of a document. */
export function sharesQuery({ doctype, name }: Marked) {
  return queryOptions({
    queryKey: keys.beside(doctype, name, 'shares'),
    queryFn: async ({ signal }): Promise<readonly SharedWith[]> => {
      const found = await readMethod<readonly WireShare[]>(
        'frappe.share.get_users',
        { doctype, name },
        { signal },
      );
      return found.map((share) => ({
        user: share.everyone === 1 ? null : share.user,
        rights: new Set(SHARED_RIGHTS.filter((right) => share[right] === 1)),
      }));
    },
  });
}

const whom = ({ doctype, name }: Marked, user: string | null) => ({
  doctype,
  name,
  ...(user === null ? { everyone: 1 } : { user }),
});

/** Opens a document for reading. */
export async function share(doc: Marked, user: string | null): Promise<void> {
  await callMethod('frappe.share.add', whom(doc, user));
}

export async function setSharedRight(
  doc: Marked,
  user: string | null,
  right: SharedRight,
  isOn: boolean,
): Promise<void> {
  const args = { ...whom(doc, user), permission_to: right, value: isOn ? 1 : 0 };
  await callMethod('frappe.share.set_permission', args);
}

export async function unshare(doc: Marked, user: string | null): Promise<void> {
  await callMethod('frappe.share.remove', whom(doc, user));
}
