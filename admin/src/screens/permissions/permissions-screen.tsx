import { t } from '../../base/i18n.ts';
import { useSearch, useSetSearch } from '../../base/navigation.tsx';
import { may } from '../../meta/permissions.ts';
import { Page } from '../../widgets/page.tsx';
import { Tabs } from '../../widgets/tabs.tsx';
import { ExplainPart } from './explain-part.tsx';
import css from './permissions.module.css';
import { type Part, readPermissionsSearch } from './permissions-search.ts';
import { RolesPart } from './roles-part.tsx';
import { SharesPart } from './shares-part.tsx';
import { UserPermissionsPart } from './user-permissions-part.tsx';

/** Who may do what: the matrix of roles, restrictions of users, shares, and the reason of a decision. */
export function Screen() {
  const { part } = useSearch(readPermissionsSearch);
  const setSearch = useSetSearch();
  const tabs: readonly (false | { id: Part; label: string; content: React.ReactNode })[] = [
    may('Custom DocPerm', 'read') && { id: 'roles', label: t('Roles'), content: <RolesPart /> },
    may('User Permission', 'read') && {
      id: 'users',
      label: t('User permissions'),
      content: <UserPermissionsPart />,
    },
    may('DocShare', 'read') && { id: 'shares', label: t('Shares'), content: <SharesPart /> },
    { id: 'why', label: t('Why?'), content: <ExplainPart /> },
  ];
  const shown = tabs.filter((tab) => tab !== false);
  const active = shown.find(({ id }) => id === part) ?? shown[0];
  return (
    <Page title={t('Permissions')}>
      <div className={css['tabs']}>
        <Tabs
          label={t('Permissions')}
          tabs={shown}
          value={active?.id ?? 'why'}
          onChange={(id) => setSearch({ tab: id === 'roles' ? undefined : id })}
        />
      </div>
    </Page>
  );
}
