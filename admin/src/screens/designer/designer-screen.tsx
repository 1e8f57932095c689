import { useQuery } from '@tanstack/react-query';
import type { Crumb } from '../../base/crumbs.ts';
import { t } from '../../base/i18n.ts';
import { useRouteParams } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useUser } from '../../data/boot.ts';
import { keys } from '../../data/keys.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Stack } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { ProblemPage } from '../../widgets/problem-page.tsx';
import { ScreenProblem } from '../../widgets/screen-problem.tsx';
import { readDesign } from './design-data.ts';
import { Designer } from './designer.tsx';

/** Makes or changes a doctype. */
export function Screen() {
  const { doctype = '' } = useRouteParams();
  const { isSystemManager } = useUser();
  if (!isSystemManager) {
    return (
      <ProblemPage icon="lock" title={t('You have no access to this page')}>
        {t('Only System Managers change doctypes.')}
      </ProblemPage>
    );
  }
  return doctype === '' ? <Designer key="" design={null} /> : <Stored key={doctype} doctype={doctype} />;
}

function Stored({ doctype }: { readonly doctype: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: keys.method('chancery.read_design', { doctype }),
    queryFn: ({ signal }) => readDesign(doctype, signal),
    // The designer owns what it has read: a refresh would overwrite changes.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  if (error) {
    return (
      <ScreenProblem error={error} onRetry={() => void refetch()} title={t(doctype)} trail={trailOf()} />
    );
  }
  if (!data) {
    return (
      <Plain title={t(doctype)}>
        <Stack gap={3}>
          <Skeleton height={36} />
          <Skeleton height={320} />
        </Stack>
      </Plain>
    );
  }
  if (data.fixed !== '') {
    return (
      <Plain title={t(doctype)}>
        <EmptyState icon="lock" title={t('This doctype cannot be changed')}>
          {data.fixed}
        </EmptyState>
      </Plain>
    );
  }
  return <Designer design={data} />;
}

function Plain({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <Page title={title} trail={trailOf()}>
      {children}
    </Page>
  );
}

function trailOf(): readonly Crumb[] {
  return [{ label: t('Doctypes'), path: paths.doctypes() }];
}
