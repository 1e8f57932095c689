import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { announce } from '../../base/announce.ts';
import { formatDatetime, formatDuration, formatNumber, formatPercent } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Alert, Badge, Progress, Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import css from './import.module.css';
import { countWords, modeWord, statusTone, statusWord } from './import-words.ts';
import { LoadActions } from './load-actions.tsx';
import { addressOfReport, isBusy, type Load, loadQuery } from './load-data.ts';
import { ProblemLog } from './problem-log.tsx';
import { RecordList } from './record-list.tsx';
import { Step } from './step.tsx';

interface LoadPartProps {
  readonly name: string;
  /** Changes the choices, for another import of the same file. */
  readonly onChange: () => void;
  /** It has begun on this screen, so it takes the focus. */
  readonly isNew?: boolean;
}

/** A load: how far it is, what came of it, what can be done, and its log. */
export function LoadPart({ name, onChange, isNew = false }: LoadPartProps) {
  const { data: load, error, refetch } = useQuery(loadQuery(name));
  useStatusAnnounced(load);
  const heading = useRef<HTMLHeadingElement>(null);
  const isThere = load !== undefined;
  useEffect(() => {
    if (isThere && isNew) heading.current?.focus();
  }, [isThere, isNew]);
  if (!load && error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!load) return <Skeleton height={320} />;
  return (
    <Stack>
      <Step title={t('Progress')} heading={heading}>
        <Row>
          <Badge tone={statusTone(load.status)}>{statusWord(load.status)}</Badge>
          <Muted>{describe(load)}</Muted>
        </Row>
        {isBusy(load) && <Far load={load} />}
        {load.error !== '' && (
          <Alert tone={load.status === 'Failed' ? 'danger' : 'warning'}>
            <bdi>{load.error}</bdi>
          </Alert>
        )}
        <Counts load={load} />
        <LoadActions {...{ load, onChange }} onDone={() => heading.current?.focus()} />
      </Step>
      <Report load={load} />
      <ProblemLog load={load} />
      <RecordList load={load} />
    </Stack>
  );
}

function describe({ name, kind, source, mode, doctype, creation }: Load): string {
  const what = kind === 'Import' ? modeWord(mode) : t('Documents as they were');
  const parts = [name, doctype === '' ? '' : t(doctype), source, what, formatDatetime(creation)];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Tells a screen reader when the server has finished something. */
function useStatusAnnounced(load: Load | undefined): void {
  const before = useRef(load?.status);
  const status = load?.status;
  useEffect(() => {
    if (before.current !== undefined && status !== undefined && before.current !== status)
      announce(statusWord(status));
    before.current = status;
  }, [status]);
}

function Far({ load: { part, status, rate, remaining, counts } }: { readonly load: Load }) {
  const far = [
    tn(counts.done, '{count} record', '{count} records'),
    ...(rate > 0 ? [t('{rate} per second', { rate: formatNumber(rate, 0) })] : []),
    ...(remaining > 0 ? [t('{time} left', { time: formatDuration(remaining) })] : []),
  ];
  return (
    <>
      <Progress
        value={part}
        label={t('{name}: {percent}', { name: statusWord(status), percent: formatPercent(part, 0) })}
      />
      <Muted>{far.join(' · ')}</Muted>
    </>
  );
}

function Counts({ load: { counts, status } }: { readonly load: Load }) {
  const isPlan = status === 'Checking' || status === 'Checked' || status === 'Draft';
  const always = ['inserted', 'updated', 'failed'];
  const shown = countWords(isPlan).filter(([key]) => counts[key] > 0 || always.includes(key));
  return (
    <dl className={css['facts']}>
      {shown.map(([key, label]) => (
        <div key={key}>
          <dt>{label}</dt>
          <dd>{formatNumber(counts[key])}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The rows that did not come. */
function Report({ load }: { readonly load: Load }) {
  const { kind, counts, file, name } = load;
  if (kind !== 'Import' || file === '' || counts.failed === 0 || isBusy(load)) return null;
  return (
    <Step title={t('Report')}>
      <Row gap={4}>
        <a href={addressOfReport(name)} download>
          {t('Download the rows with errors (CSV)')}
        </a>
      </Row>
      <Muted isSmall>{t('The last column says what is wrong. Correct the rows and import this file.')}</Muted>
    </Step>
  );
}
