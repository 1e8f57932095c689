import type { DocType } from '../doctype/doctype.ts';
import { reachOf } from './permission.ts';
import type { CurrentUser } from './user.ts';

/** The right by which somebody lists documents. */
export type ListRight = 'read' | 'select';

/**
 * By `select` lists whoever has no role to read: names, titles and search fields, nothing else. A picker (`picks`) also does so
 * for whoever may read few documents and select more.
 */
export function listRight(user: CurrentUser, doctype: DocType, picks = false): ListRight {
  // What a controller answers, and a single, is opened to be listed.
  if (doctype.rowsFrom === 'controller' || doctype.issingle) return 'read';
  const read = reachOf(user, doctype, 'read');
  if (read === 'all') return 'read';
  const select = reachOf(user, doctype, 'select');
  if (read === 'none') return select === 'none' ? 'read' : 'select';
  return picks && select === 'all' ? 'select' : 'read';
}
