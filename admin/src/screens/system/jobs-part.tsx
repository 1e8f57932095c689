import { useQuery, useQueryClient } from '@tanstack/react-query';
import { formatDuration, formatNumber } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { keys } from '../../data/keys.ts';
import { type Job, runJob, systemQuery } from '../../data/system.ts';
import { may } from '../../meta/permissions.ts';
import { Ago } from '../../widgets/ago.tsx';
import { Button } from '../../widgets/button.tsx';
import { ErrorPanel, tellFailure } from '../../widgets/error-panel.tsx';
import { Badge, Skeleton } from '../../widgets/feedback.tsx';
import { Hidden, Muted, Stack } from '../../widgets/layout.tsx';
import { Table, type TableColumn } from '../../widgets/table.tsx';
import { millis } from './health-cards.tsx';
import { jobWords } from './job-words.ts';
import css from './system.module.css';

interface Jobs {
  readonly host: string;
  readonly jobs: readonly Job[];
}

/** The periodic jobs of this server, with their last and next runs. */
export function JobsPart() {
  const { data, error, refetch } = useQuery(systemQuery<Jobs>('jobs'));
  if (!data)
    return error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <Skeleton height={360} />;
  const hasWorkers = new Set(data.jobs.map(({ worker }) => worker)).size > 1;
  return (
    <Stack gap={3}>
      <Muted isSmall>
        {t('Runs on the server {host} since its start. Each server runs its own jobs.', {
          host: data.host,
        })}
      </Muted>
      <Table
        label={t('Periodic jobs')}
        isStacked
        rows={data.jobs}
        rowKey={({ worker, job }) => `${worker} ${job}`}
        columns={columns(hasWorkers)}
      />
    </Stack>
  );
}

function columns(hasWorkers: boolean): readonly TableColumn<Job>[] {
  return [
    { id: 'job', label: t('Job'), isHeader: true, cell: (job) => <JobName job={job} /> },
    ...(hasWorkers
      ? [{ id: 'worker', label: t('Worker'), cell: ({ worker }: Job) => formatNumber(worker ?? 1) }]
      : []),
    { id: 'every', label: t('Interval'), cell: ({ every }) => formatDuration(every / 1000) },
    { id: 'last', label: t('Last run'), cell: (job) => <LastRun job={job} /> },
    { id: 'result', label: t('Result'), cell: (job) => <Result job={job} /> },
    {
      id: 'runs',
      label: t('Runs'),
      isNumber: true,
      cell: ({ runs, failures }) =>
        failures === 0
          ? formatNumber(runs)
          : t('{runs}, {failures} failed', { runs: formatNumber(runs), failures: formatNumber(failures) }),
    },
    { id: 'next', label: t('Next run'), cell: ({ next }) => (next ? <Ago timestamp={next} /> : '–') },
    { id: 'run', label: <Hidden>{t('Actions')}</Hidden>, cell: (job) => <RunNow job={job} /> },
  ];
}

function JobName({ job: { job } }: { readonly job: Job }) {
  const { label, description } = jobWords(job);
  return (
    <div className={css['named']}>
      <span>{label}</span>
      <Muted isSmall>{description}</Muted>
    </div>
  );
}

function LastRun({ job: { last, took } }: { readonly job: Job }) {
  if (last === null) return <Muted>{t('Not yet')}</Muted>;
  return (
    <div className={css['named']}>
      <Ago timestamp={last} />
      {took !== null && <Muted isSmall>{millis(took)}</Muted>}
    </div>
  );
}

function Result({ job: { is_running: isRunning, error, done, runs } }: { readonly job: Job }) {
  if (isRunning) return <Badge tone="info">{t('Running')}</Badge>;
  if (runs === 0) return <Muted>–</Muted>;
  if (error === null)
    return done === null || done === 0 ? t('Nothing to do') : tn(done, '{count} item', '{count} items');
  return (
    <div className={css['failure']}>
      <Badge tone="danger">{t('Failed')}</Badge>
      <span>{error}</span>
    </div>
  );
}

function RunNow({ job: { job, is_running: isRunning } }: { readonly job: Job }) {
  const client = useQueryClient();
  const { isBusy, run } = useTask();
  if (!may('System Settings', 'write')) return null;
  const { label } = jobWords(job);
  const start = () =>
    run(async () => {
      await runJob(job);
      toast('success', t('{job} started', { job: label }));
      await client.invalidateQueries({ queryKey: keys.method('chancery.system.jobs') });
    }, tellFailure);
  return (
    <Button
      icon="play"
      isBusy={isBusy}
      disabled={isRunning === 1}
      aria-label={t('Run now: {job}', { job: label })}
      onClick={() => void start()}
    >
      {t('Run now')}
    </Button>
  );
}
