import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink, useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { useFreshness } from '../../data/events.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Page } from '../../widgets/page.tsx';
import { Table } from '../../widgets/table.tsx';
import { createDashboard, DASHBOARD, dashboardsQuery } from './dashboard-data.ts';
import { DashboardDialog } from './dashboard-dialog.tsx';
import { audienceOf } from './first-fitting.ts';

const EMPTY = { label: '', roles: [], position: 0 };

/** All dashboards that the user may see. */
export function Screen() {
  useFreshness([DASHBOARD]);
  const go = useGo();
  const [isMaking, setMaking] = useState(false);
  const mayCreate = may(DASHBOARD, 'create');
  useShortcut('list', 'n', t('New dashboard'), () => setMaking(true), { isOn: mayCreate });
  const create = mayCreate && (
    <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
      {t('New dashboard')}
    </Button>
  );
  return (
    <Page title={t('Dashboards')} actions={create}>
      <Dashboards />
      {isMaking && (
        <DashboardDialog
          title={t('New dashboard')}
          action={t('Create dashboard')}
          of={EMPTY}
          onClose={() => setMaking(false)}
          run={async (fields) => go(paths.dashboard(await createDashboard(fields), { edit: 1 }))}
        />
      )}
    </Page>
  );
}

function Dashboards() {
  const { data, error, refetch } = useQuery(dashboardsQuery);
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={200} />;
  if (data.length === 0)
    return (
      <EmptyState icon="chart" title={t('No dashboards yet')}>
        {t('A dashboard shows figures, charts and lists at home, to the users of some roles.')}
      </EmptyState>
    );
  return (
    <Table
      label={t('Dashboards')}
      rows={data}
      rowKey={({ name }) => name}
      columns={[
        {
          id: 'label',
          label: t('Name'),
          isHeader: true,
          cell: ({ name, label }) => <PathLink to={paths.dashboard(name)}>{label}</PathLink>,
        },
        { id: 'roles', label: t('Roles'), cell: audienceOf },
        {
          id: 'position',
          label: t('Position'),
          isNumber: true,
          cell: ({ position }) => formatNumber(position),
        },
      ]}
    />
  );
}
