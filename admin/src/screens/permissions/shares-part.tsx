import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink, useSearch } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useFreshness } from '../../data/events.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Badge, Skeleton } from '../../widgets/feedback.tsx';
import { Hidden, Muted, Stack } from '../../widgets/layout.tsx';
import { Table } from '../../widgets/table.tsx';
import { NarrowBar } from './narrow-bar.tsx';
import { NewShareDialog } from './new-share.tsx';
import { readPermissionsSearch } from './permissions-search.ts';
import { RemoveButton } from './remove-button.tsx';
import { MOST, type Share, sharesQuery, shareText } from './restriction-data.ts';

/** Shares: single documents opened to users. */
export function SharesPart() {
  useFreshness(['DocShare']);
  const search = useSearch(readPermissionsSearch);
  const { data, error, refetch } = useQuery(sharesQuery(search));
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      {t('Share a record')}
    </Button>
  );
  return (
    <Stack>
      <NarrowBar>{data && data.length > 0 ? add : null}</NarrowBar>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={200} />}
      {data?.length === 0 && (
        <EmptyState icon="send" title={t('No shares')} action={add}>
          {t('A share opens one record to one user, whatever their roles are.')}
        </EmptyState>
      )}
      {data && data.length > 0 && <Rows rows={data} />}
      {isAdding && <NewShareDialog onClose={() => setAdding(false)} />}
    </Stack>
  );
}

function Rows({ rows }: { readonly rows: readonly Share[] }) {
  return (
    <Stack gap={2}>
      <Table
        label={t('Shares')}
        isStacked
        rows={rows}
        rowKey={(row) => row.name}
        columns={[
          {
            id: 'record',
            label: t('Record'),
            isHeader: true,
            cell: (row) => <PathLink to={paths.record(row.doctype, row.docname)}>{row.docname}</PathLink>,
          },
          { id: 'doctype', label: t('Doctype'), cell: ({ doctype }) => t(doctype) },
          {
            id: 'user',
            label: t('Shared with'),
            cell: ({ user }) =>
              user === '' ? (
                <Badge tone="warning">{t('Everyone who is signed in')}</Badge>
              ) : (
                <PathLink to={paths.user(user)}>{user}</PathLink>
              ),
          },
          { id: 'rights', label: t('Can'), cell: shareText },
          {
            id: 'remove',
            label: <Hidden>{t('Actions')}</Hidden>,
            isNumber: true,
            cell: (row) => (
              <RemoveButton
                doctype="DocShare"
                name={row.name}
                label={t('End the share of {name}', { name: row.docname })}
                consequence={t('Roles alone decide about the record then.')}
              />
            ),
          },
        ]}
      />
      {rows.length === MOST && (
        <Muted>
          <PathLink to={paths.list('DocShare')}>{t('Show all in the list')}</PathLink>
        </Muted>
      )}
    </Stack>
  );
}
