import type { DocType } from '../doctype/doctype.ts';
import { reachOf } from './permission.ts';
import type { CurrentUser } from './user.ts';

/** The right used to list documents. */
export type ListRight = 'read' | 'select';

/**
 * True when a list shows the user only their own documents, although they may read others: as in Frappe, files
 * to users without access to the desk.
 */
export function listsOwnOnly(user: CurrentUser, doctype: DocType): boolean {
  return doctype.name === 'File' && !user.isAdministrator && !user.roles.has('Desk User');
}

/**
 * Returns `select` for a user without a role that reads: such a list shows names, titles and search fields
 * only. A picker (`picks`) also uses `select` when it reaches more documents than `read`, and so does a list
 * with no other fields.
 */
export function listRight(user: CurrentUser, doctype: DocType, picks = false): ListRight {
  // Controller-backed doctypes and singles are opened to be listed.
  if (doctype.rowsFrom === 'controller' || doctype.issingle) return 'read';
  const read = reachOf(user, doctype, 'read');
  if (read === 'all') return 'read';
  const select = reachOf(user, doctype, 'select');
  if (read === 'none') return select === 'none' ? 'read' : 'select';
  return picks && select === 'all' ? 'select' : 'read';
}
