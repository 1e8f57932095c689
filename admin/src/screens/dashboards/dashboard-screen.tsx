import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo, useRouteParams, useSearch, useSetSearch } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useFreshness } from '../../data/events.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Muted } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { ScreenProblem } from '../../widgets/screen-problem.tsx';
import { DashboardCards } from './dashboard-cards.tsx';
import { DASHBOARD, type Dashboard, dashboardQuery } from './dashboard-data.ts';
import { DashboardEditor } from './dashboard-editor.tsx';
import { DashboardMenu } from './dashboard-menu.tsx';
import { audienceOf } from './first-fitting.ts';

/** One dashboard: its cards, and for administrators its arrangement. */
export function Screen() {
  useFreshness([DASHBOARD]);
  const { name = '' } = useRouteParams();
  const { data, error, refetch } = useQuery(dashboardQuery(name));
  const trail = [{ label: t('Dashboards'), path: paths.dashboards() }];
  if (data) return <Shown key={name} dashboard={data} />;
  if (error) return <ScreenProblem error={error} onRetry={() => void refetch()} title={name} trail={trail} />;
  return (
    <Page title={t('Dashboard')} trail={trail}>
      <Skeleton height={320} />
    </Page>
  );
}

function Shown({ dashboard }: { readonly dashboard: Dashboard }) {
  const go = useGo();
  const isEditing = useSearch((search) => search['edit']) !== undefined && may(DASHBOARD, 'write');
  const setSearch = useSetSearch();
  const [round, setRound] = useState(0);
  const edit = (isOn: boolean) => {
    setSearch({ edit: isOn ? 1 : undefined });
    setRound(round + 1);
  };
  return (
    <Page
      title={dashboard.label}
      trail={[{ label: t('Dashboards'), path: paths.dashboards() }]}
      beside={<Muted isSmall>{t('For: {audience}', { audience: audienceOf(dashboard) })}</Muted>}
      actions={
        may(DASHBOARD, 'write') &&
        !isEditing && (
          <>
            <Button icon="edit" onClick={() => edit(true)}>
              {t('Edit')}
            </Button>
            <DashboardMenu
              dashboard={dashboard}
              onGone={() => go(paths.dashboards(), { isReplacing: true })}
            />
          </>
        )
      }
    >
      {isEditing ? (
        <DashboardEditor key={round} dashboard={dashboard} onDone={() => edit(false)} />
      ) : dashboard.cards.length === 0 ? (
        <EmptyState icon="chart" title={t('No cards yet')}>
          {t('Add figures, charts and lists of shared views.')}
        </EmptyState>
      ) : (
        <DashboardCards cards={dashboard.cards} />
      )}
    </Page>
  );
}
