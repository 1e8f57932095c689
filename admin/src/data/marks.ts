import { callMethod, readMethod } from './api.ts';

/** A document, as much of it as its marks need. */
export interface Marked {
  readonly doctype: string;
  readonly name: string;
  readonly [fieldname: string]: unknown;
}

/** The users in `_assign` or `_liked_by`. */
export function usersIn(wire: unknown): readonly string[] {
  try {
    const users: unknown = JSON.parse(String(wire ?? '[]'));
    return Array.isArray(users) ? users.map(String) : [];
  } catch {
    return [];
  }
}

/** The tags in `_user_tags`. */
export function tagsIn(wire: unknown): readonly string[] {
  return String(wire ?? '')
    .split(',')
    .filter((tag) => tag !== '');
}

/** Doctypes whose documents have no marks, beside settings, rows and virtual ones. */
const RECORDS: readonly string[] = [
  'Comment',
  'Deleted Document',
  'Document Follow',
  'Notification Log',
  'Version',
];

/** True if documents of the doctype can be assigned, tagged and liked. */
export function hasMarks(meta: {
  readonly name: string;
  readonly istable: boolean;
  readonly issingle: boolean;
  readonly is_virtual: boolean;
}): boolean {
  return !meta.istable && !meta.issingle && !meta.is_virtual && !RECORDS.includes(meta.name);
}

export async function assign({ doctype, name }: Marked, user: string): Promise<void> {
  await callMethod('frappe.desk.form.assign_to.add', { doctype, name, assign_to: [user] });
}

export async function unassign({ doctype, name }: Marked, user: string): Promise<void> {
  await callMethod('frappe.desk.form.assign_to.remove', { doctype, name, assign_to: user });
}

export async function addTag({ doctype, name }: Marked, tag: string): Promise<void> {
  await callMethod('frappe.desk.doctype.tag.tag.add_tag', { tag, dt: doctype, dn: name });
}

export async function removeTag({ doctype, name }: Marked, tag: string): Promise<void> {
  await callMethod('frappe.desk.doctype.tag.tag.remove_tag', { tag, dt: doctype, dn: name });
}

/** Tags in use on documents of the doctype that contain the text. */
export function suggestTags(doctype: string, txt: string, signal: AbortSignal): Promise<readonly string[]> {
  return readMethod('frappe.desk.doctype.tag.tag.get_tags', { doctype, txt }, { signal });
}

export async function like({ doctype, name }: Marked, isLiked: boolean): Promise<void> {
  const add = isLiked ? 'Yes' : 'No';
  await callMethod('frappe.desk.like.toggle_like', { doctype, name, add });
}
