import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { createStore, useStore } from '../../base/store.ts';
import { useUser } from '../../data/boot.ts';
import { useFreshness } from '../../data/events.ts';
import { may } from '../../meta/permissions.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import {
  DASHBOARD,
  type DashboardEntry,
  dashboardQuery,
  dashboardsQuery,
} from '../dashboards/dashboard-data.ts';
import { fittingDashboards } from '../dashboards/first-fitting.ts';
import css from './home.module.css';

const DashboardCards = lazy(async () => ({
  default: (await import('../dashboards/dashboard-cards.tsx')).DashboardCards,
}));

const STORED = 'chancery.dashboard';
const chosen = createStore(localStorage.getItem(STORED));

function choose(name: string): void {
  localStorage.setItem(STORED, name);
  chosen.set(name);
}

/** The dashboard of the user's role: the first that fits, or the one chosen on this device. */
export function HomeDashboard() {
  const user = useUser();
  const wanted = useStore(chosen);
  const { data, error, refetch } = useQuery({ ...dashboardsQuery, enabled: may(DASHBOARD, 'read') });
  useFreshness([DASHBOARD]);
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  const fitting = fittingDashboards(data ?? [], user.roles);
  const shown = fitting.find(({ name }) => name === wanted) ?? fitting[0];
  if (!shown) return null;
  return (
    <section aria-label={shown.label}>
      <Stack gap={3}>
        <Head shown={shown} fitting={fitting} />
        <Cards key={shown.name} name={shown.name} />
      </Stack>
    </section>
  );
}

function Head({
  shown,
  fitting,
}: {
  readonly shown: DashboardEntry;
  readonly fitting: readonly DashboardEntry[];
}) {
  return (
    <Row isApart>
      <h2>{shown.label}</h2>
      <Row gap={3}>
        {may(DASHBOARD, 'write') && (
          <PathLink to={paths.dashboard(shown.name, { edit: 1 })}>{t('Edit dashboard')}</PathLink>
        )}
        {fitting.length > 1 && (
          <Select
            className={css['chooser']}
            aria-label={t('Dashboard')}
            value={shown.name}
            onChange={(name) => name && choose(name)}
            choices={fitting.map(({ name, label }) => ({ value: name, label }))}
          />
        )}
      </Row>
    </Row>
  );
}

function Cards({ name }: { readonly name: string }) {
  const { data, error, refetch } = useQuery(dashboardQuery(name));
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={240} />;
  return (
    <Suspense fallback={<Skeleton height={240} />}>
      <DashboardCards cards={data.cards} heading="h3" />
    </Suspense>
  );
}
