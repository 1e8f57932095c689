import { useQuery } from '@tanstack/react-query';
import { t, tn } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { type Health, systemQuery } from '../../data/system.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Alert, Skeleton } from '../../widgets/feedback.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { HealthCards } from './health-cards.tsx';
import { ProcessTable, ServerTable } from './health-tables.tsx';
import { jobWords } from './job-words.ts';
import css from './system.module.css';

/** Health of the server, refreshed while it is visible. */
export function HealthPart() {
  const { data, error, refetch } = useQuery(systemQuery<Health>('health'));
  if (!data)
    return error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <Skeleton height={480} />;
  return (
    <Stack gap={4}>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      <Summary health={data} />
      <HealthCards health={data} />
      {data.nodes.length > 0 && <ServerTable nodes={data.nodes} />}
      <ProcessTable processes={data.workers} />
    </Stack>
  );
}

function Summary({ health }: { readonly health: Health }) {
  const problems = problemsOf(health);
  return (
    <Stack gap={2}>
      <Row isApart>
        {problems.length === 0 && (
          <span className={css['well']} role="status">
            <Icon name="check" />
            {t('No problems')}
          </span>
        )}
        <Muted isSmall>
          {t('Chancery {version} · Node.js {node}', { version: health.version, node: health.node_version })}
          {' · '}
          <PathLink to={paths.system('errors')}>
            {tn(health.recent_errors, '{count} error in the last hour', '{count} errors in the last hour')}
          </PathLink>
        </Muted>
      </Row>
      {problems.length > 0 && (
        <Alert
          tone="danger"
          title={tn(problems.length, '{count} problem needs attention', '{count} problems need attention')}
        >
          <ul className={css['problems']}>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Alert>
      )}
    </Stack>
  );
}

function problemsOf({ disks, queue, nodes, workers, failing_jobs: jobs }: Health): readonly string[] {
  const versions = new Set(nodes.filter(({ is_alive: isAlive }) => isAlive).map(({ version }) => version));
  return [
    ...disks
      .filter(({ state }) => state !== 'ok')
      .map(({ path }) => t('The disk of {path} is nearly full', { path })),
    ...(queue.is_stuck ? [t('Webhook deliveries are due, and no process sends them')] : []),
    ...(versions.size > 1 ? [t('The servers of this database run different versions')] : []),
    ...nodes
      .filter(({ is_alive: isAlive }) => !isAlive)
      .map(({ host }) => t('The server {host} ended unexpectedly', { host })),
    ...jobs.map((job) => t('The last run of “{job}” failed', { job: jobWords(job).label })),
    ...(workers.length === 0 ? [t('No process answers')] : []),
  ];
}
