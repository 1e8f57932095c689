import { formatList } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { RIGHT_NAMES, type RightName } from '../../data/boot.ts';
import type { Lockout, PermittedDoctype } from './permission-data.ts';
import type { PermissionRow, Place } from './permission-rows.ts';

/** What a right allows, as the part of a sentence: "Clerk can read and create". */
export function verbOf(right: RightName): string {
  const verbs: Readonly<Record<RightName, string>> = {
    select: t('choose in links'),
    read: t('read'),
    write: t('change'),
    create: t('create'),
    delete: t('delete'),
    submit: t('submit'),
    cancel: t('cancel'),
    amend: t('amend'),
    report: t('report on'),
    export: t('export'),
    import: t('import'),
    share: t('share'),
    print: t('print'),
    email: t('send by email'),
  };
  return verbs[right];
}

/** Rights in their usual order, as a list in words. */
export function verbsOf(rights: Iterable<RightName>): string {
  const given = new Set(rights);
  return formatList(RIGHT_NAMES.filter((right) => given.has(right)).map(verbOf));
}

/** The rule of a row in words. */
export function sentenceOf(row: PermissionRow, { levels }: PermittedDoctype): string {
  const words = { role: t(row.role), rights: verbsOf(row.rights), doctype: t(row.doctype) };
  if (row.permlevel > 0) {
    const fields = levels.find(({ permlevel }) => permlevel === row.permlevel)?.fields ?? [];
    if (fields.length === 0)
      return t('{role} can {rights} fields of level {level}.', { ...words, level: row.permlevel });
    return t('{role} can {rights} the fields {fields}.', {
      ...words,
      fields: formatList(fields.map((one) => t(one))),
    });
  }
  return row.ifOwner
    ? t('{role} can {rights} only {doctype} records that they created.', words)
    : t('{role} can {rights} every {doctype} record.', words);
}

/** The subject of a change: the role, with its level and reach. */
export function subjectOf({ role, permlevel, ifOwner }: Place): string {
  const parts = [
    t(role),
    ...(permlevel > 0 ? [t('level {level}', { level: permlevel })] : []),
    ...(ifOwner ? [t('own records')] : []),
  ];
  return parts.join(' · ');
}

/** The number of users behind a role. */
export function usersText(users: number | null): string {
  return users === null ? t('automatic') : tn(users, '{count} user', '{count} users');
}

/** The consequence of a change that needs a confirmation. */
export function lockoutText({ kind, doctype, rights }: Lockout): string {
  const words = { doctype: t(doctype), rights: verbsOf(rights) };
  if (kind === 'nobody') return t('Only Administrator can still read {doctype}.', words);
  if (kind === 'yourself') return t('You can no longer {rights} every {doctype} record.', words);
  return t('System Managers can no longer {rights} every {doctype} record.', words);
}
