import type { ReactNode } from 'react';
import { t } from '../../base/i18n.ts';
import { useSearch, useSetSearch } from '../../base/navigation.tsx';
import { DocumentPicker } from '../../widgets/document-picker.tsx';
import { DoctypePicker } from './doctype-picker.tsx';
import css from './permissions.module.css';
import { readPermissionsSearch } from './permissions-search.ts';

/** The filters by user and doctype, which the address keeps. */
export function NarrowBar({ children }: { readonly children: ReactNode }) {
  const { user, doctype } = useSearch(readPermissionsSearch);
  const setSearch = useSetSearch();
  return (
    <div className={css['bar']}>
      <div className={css['pick']}>
        <DocumentPicker
          doctype="User"
          label={t('User')}
          placeholder={t('All users')}
          value={user}
          onChange={(next) => setSearch({ user: next || undefined })}
        />
      </div>
      <div className={css['pick']}>
        <DoctypePicker
          label={t('Doctype')}
          placeholder={t('All doctypes')}
          value={doctype}
          isClearable
          onChange={(next) => setSearch({ doctype: next || undefined })}
        />
      </div>
      <div className={css['end']}>{children}</div>
    </div>
  );
}
