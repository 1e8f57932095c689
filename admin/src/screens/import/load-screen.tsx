import { useQuery } from '@tanstack/react-query';
import { useGo, useRouteParams } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { recordTrail } from '../../meta/doctype-trail.ts';
import { may } from '../../meta/permissions.ts';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Page } from '../../widgets/page.tsx';
import { ScreenProblem } from '../../widgets/screen-problem.tsx';
import { DATA_LOAD, loadQuery } from './load-data.ts';
import { LoadPart } from './load-part.tsx';

/** An import, or a load of the command line: its progress, its report, and its undo. */
export function Screen() {
  const { name = '' } = useRouteParams();
  const { data, error, refetch } = useQuery(loadQuery(name));
  const go = useGo();
  const trail = may(DATA_LOAD, 'read') ? recordTrail(DATA_LOAD) : [];
  if (!data && error)
    return <ScreenProblem error={error} onRetry={() => void refetch()} title={name} trail={trail} />;
  return (
    <Page title={data?.source || name} trail={trail}>
      {data ? (
        <LoadPart name={name} onChange={() => go(paths.importInto(data.doctype, { from: name }))} />
      ) : (
        <Skeleton height={320} />
      )}
    </Page>
  );
}
