import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink, useSearch } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useBoot } from '../../data/boot.ts';
import { useFreshness } from '../../data/events.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Hidden, Muted, Stack } from '../../widgets/layout.tsx';
import { Table } from '../../widgets/table.tsx';
import { NarrowBar } from './narrow-bar.tsx';
import { NewUserPermissionDialog } from './new-user-permission.tsx';
import css from './permissions.module.css';
import { readPermissionsSearch } from './permissions-search.ts';
import { RemoveButton } from './remove-button.tsx';
import { MOST, restrictionText, type UserPermission, userPermissionsQuery } from './restriction-data.ts';

/** User Permissions: the documents that users are limited to. */
export function UserPermissionsPart() {
  useFreshness(['User Permission']);
  const search = useSearch(readPermissionsSearch);
  const { data, error, refetch } = useQuery(userPermissionsQuery(search));
  const [isAdding, setAdding] = useState(false);
  const canAdd = may('User Permission', 'create');
  const add = canAdd && (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      {t('Restrict a user')}
    </Button>
  );
  return (
    <Stack>
      <NarrowBar>{data && data.length > 0 ? add : null}</NarrowBar>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={200} />}
      {data?.length === 0 && (
        <EmptyState icon="users" title={t('No user permissions')} action={add}>
          {t('Roles decide alone. A user permission limits a user to the records of, say, one region.')}
        </EmptyState>
      )}
      {data && data.length > 0 && <Rows rows={data} />}
      {isAdding && <NewUserPermissionDialog onClose={() => setAdding(false)} />}
    </Stack>
  );
}

function Rows({ rows }: { readonly rows: readonly UserPermission[] }) {
  const { doctypes } = useBoot();
  return (
    <Stack gap={2}>
      <Table
        label={t('User permissions')}
        isStacked
        rows={rows}
        rowKey={(row) => row.name}
        columns={[
          {
            id: 'user',
            label: t('User'),
            isHeader: true,
            cell: ({ user }) => <PathLink to={paths.user(user)}>{user}</PathLink>,
          },
          { id: 'allow', label: t('Doctype'), cell: ({ allow }) => t(allow) },
          {
            id: 'value',
            label: t('Record'),
            cell: (row) => <PathLink to={paths.record(row.allow, row.forValue)}>{row.forValue}</PathLink>,
          },
          {
            id: 'words',
            label: t('In words'),
            cell: (row) => (
              <div className={css['words']}>
                {restrictionText(row, doctypes.get(row.allow)?.is_tree ?? false)}
              </div>
            ),
          },
          {
            id: 'remove',
            label: <Hidden>{t('Actions')}</Hidden>,
            isNumber: true,
            cell: (row) => (
              <RemoveButton
                doctype="User Permission"
                name={row.name}
                label={t('Remove the restriction of {user} to {value}', {
                  user: row.user,
                  value: row.forValue,
                })}
                consequence={t('{user} may see more records.', { user: row.user })}
              />
            ),
          },
        ]}
      />
      {rows.length === MOST && (
        <Muted>
          <PathLink to={paths.list('User Permission')}>{t('Show all in the list')}</PathLink>
        </Muted>
      )}
    </Stack>
  );
}
