import { queryOptions } from '@tanstack/react-query';
import { formatList } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { callMethod } from '../../data/api.ts';
import { createDocument, deleteDocument, type Filter, listRows } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';

/** The most rows that the screen shows; the list of the doctype has all of them. */
export const MOST = 100;

/** The filters of both lists. */
export interface Narrowed {
  readonly user: string;
  readonly doctype: string;
}

/** Limits a user to one document of a doctype. */
export interface UserPermission {
  readonly name: string;
  readonly user: string;
  readonly allow: string;
  readonly forValue: string;
  readonly isDefault: boolean;
  /** '' for all doctypes. */
  readonly applicableFor: string;
  readonly hidesDescendants: boolean;
}

export type NewUserPermission = Omit<UserPermission, 'name'>;

export function userPermissionsQuery({ user, doctype }: Narrowed) {
  const filters: Filter[] = [...equal('user', user), ...equal('allow', doctype)];
  const query = {
    fields: [
      'name',
      'user',
      'allow',
      'for_value',
      'is_default',
      'apply_to_all_doctypes',
      'applicable_for',
      'hide_descendants',
    ],
    filters,
    order_by: 'user asc, allow asc, for_value asc',
    limit_page_length: MOST,
  };
  return queryOptions({
    queryKey: keys.list('User Permission', query),
    queryFn: async ({ signal }): Promise<readonly UserPermission[]> => {
      const rows = await listRows('User Permission', query, { signal });
      return rows.map((row) => ({
        name: text(row['name']),
        user: text(row['user']),
        allow: text(row['allow']),
        forValue: text(row['for_value']),
        isDefault: row['is_default'] === 1,
        applicableFor: row['apply_to_all_doctypes'] === 1 ? '' : text(row['applicable_for']),
        hidesDescendants: row['hide_descendants'] === 1,
      }));
    },
  });
}

export async function addUserPermission(made: NewUserPermission): Promise<void> {
  await createDocument('User Permission', {
    user: made.user,
    allow: made.allow,
    for_value: made.forValue,
    is_default: made.isDefault ? 1 : 0,
    apply_to_all_doctypes: made.applicableFor === '' ? 1 : 0,
    applicable_for: made.applicableFor || null,
    hide_descendants: made.hidesDescendants ? 1 : 0,
  });
  await refresh('User Permission');
}

/** The restriction in words. */
export function restrictionText(
  { allow, forValue, applicableFor, hidesDescendants, isDefault }: UserPermission,
  isTree: boolean,
): string {
  const words = { doctype: t(allow), value: forValue, where: t(applicableFor) };
  const only =
    applicableFor === ''
      ? t('Sees only {doctype} {value}, and records that link to it.', words)
      : t('Sees only {where} records that link to {doctype} {value}.', words);
  const more = [
    ...(isTree ? [hidesDescendants ? t('Without what is below it.') : t('With everything below it.')] : []),
    ...(isDefault ? [t('New records start with it.')] : []),
  ];
  return [only, ...more].join(' ');
}

/** Opens one document to a user, or to everybody who is signed in. */
export interface Share {
  readonly name: string;
  /** '' for everybody. */
  readonly user: string;
  readonly doctype: string;
  readonly docname: string;
  readonly canWrite: boolean;
  readonly canSubmit: boolean;
  readonly canShare: boolean;
}

export function sharesQuery({ user, doctype }: Narrowed) {
  const filters: Filter[] = [...equal('user', user), ...equal('share_doctype', doctype)];
  const query = {
    fields: ['name', 'user', 'share_doctype', 'share_name', 'write', 'submit', 'share', 'everyone'],
    filters,
    order_by: 'share_doctype asc, share_name asc, user asc',
    limit_page_length: MOST,
  };
  return queryOptions({
    queryKey: keys.list('DocShare', query),
    queryFn: async ({ signal }): Promise<readonly Share[]> => {
      const rows = await listRows('DocShare', query, { signal });
      return rows.map((row) => ({
        name: text(row['name']),
        user: row['everyone'] === 1 ? '' : text(row['user']),
        doctype: text(row['share_doctype']),
        docname: text(row['share_name']),
        canWrite: row['write'] === 1,
        canSubmit: row['submit'] === 1,
        canShare: row['share'] === 1,
      }));
    },
  });
}

export async function addShare({ user, doctype, docname, ...can }: Omit<Share, 'name'>): Promise<void> {
  await callMethod('frappe.share.add', {
    doctype,
    name: docname,
    ...(user === '' ? { everyone: 1 } : { user }),
    write: can.canWrite ? 1 : 0,
    submit: can.canSubmit ? 1 : 0,
    share: can.canShare ? 1 : 0,
  });
  await refresh('DocShare');
}

/** The rights of a share in words. */
export function shareText({ canWrite, canSubmit, canShare }: Share): string {
  const rights = [
    t('read'),
    ...(canWrite ? [t('change')] : []),
    ...(canSubmit ? [t('submit')] : []),
    ...(canShare ? [t('share')] : []),
  ];
  return formatList(rights);
}

export async function remove(doctype: 'User Permission' | 'DocShare', name: string): Promise<void> {
  await deleteDocument(doctype, name);
  await refresh(doctype);
}

function refresh(doctype: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: keys.lists(doctype) });
}

function equal(fieldname: string, value: string): Filter[] {
  return value === '' ? [] : [[fieldname, '=', value]];
}

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}
