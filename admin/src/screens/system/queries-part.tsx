import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { type SlowQuery, systemQuery } from '../../data/system.ts';
import { Ago } from '../../widgets/ago.tsx';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';
import { Table, type TableColumn } from '../../widgets/table.tsx';
import { millis } from './health-cards.tsx';
import { IndexBuilds } from './index-builds.tsx';
import { IndexDialog } from './index-dialog.tsx';
import { queryText } from './query-words.ts';
import css from './system.module.css';

interface SlowQueries {
  readonly slow_after: number;
  readonly queries: readonly SlowQuery[];
}

/** Indexes that are being built, and slow lists and counts with the index that would help each. */
export function QueriesPart() {
  return (
    <Stack gap={4}>
      <IndexBuilds />
      <Queries />
    </Stack>
  );
}

function Queries() {
  const { data, error, refetch } = useQuery(systemQuery<SlowQueries>('slow_queries'));
  const [chosen, setChosen] = useState<SlowQuery | null>(null);
  if (!data)
    return error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <Skeleton height={320} />;
  if (data.queries.length === 0)
    return (
      <EmptyState icon="check" title={t('No slow queries')}>
        {data.slow_after === 0
          ? t('Slow queries are not recorded. Change this in the settings of lists.')
          : t('Lists and counts that take {millis} or longer appear here.', {
              millis: millis(data.slow_after),
            })}
      </EmptyState>
    );
  return (
    <Stack gap={3}>
      <Muted isSmall>
        {t('Lists and counts that took {millis} or longer, without the values that they look for.', {
          millis: millis(data.slow_after),
        })}
      </Muted>
      <Table
        label={t('Slow queries')}
        isStacked
        rows={data.queries}
        rowKey={(query) =>
          JSON.stringify([query.doctype, query.what, query.equal, query.range, query.other, query.order])
        }
        columns={columns(setChosen)}
      />
      {chosen && <IndexDialog query={chosen} onClose={() => setChosen(null)} />}
    </Stack>
  );
}

function columns(onIndex: (query: SlowQuery) => void): readonly TableColumn<SlowQuery>[] {
  return [
    {
      id: 'doctype',
      label: t('Doctype'),
      isHeader: true,
      cell: ({ doctype }) => <PathLink to={paths.list(doctype)}>{t(doctype)}</PathLink>,
    },
    {
      id: 'query',
      label: t('Query'),
      cell: (query) => (
        <div className={css['query']}>
          <bdi>{queryText(query)}</bdi>
        </div>
      ),
    },
    { id: 'count', label: t('Runs'), isNumber: true, cell: ({ count }) => formatNumber(count) },
    { id: 'average', label: t('Average'), isNumber: true, cell: ({ average_ms: time }) => millis(time) },
    { id: 'max', label: t('Longest'), isNumber: true, cell: ({ max_ms: time }) => millis(time) },
    { id: 'last', label: t('Last'), cell: ({ last }) => (last ? <Ago timestamp={last} /> : '–') },
    {
      id: 'index',
      label: t('Index'),
      cell: (query) =>
        query.index ? (
          <Button
            aria-label={t('Create index on {fields} of {doctype}', {
              fields: query.index.join(', '),
              doctype: t(query.doctype),
            })}
            onClick={() => onIndex(query)}
          >
            {t('Create index')}
          </Button>
        ) : (
          <Muted isSmall>{t('Has its index, or none helps')}</Muted>
        ),
    },
  ];
}
