import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { LoadProblem, ProblemKind } from '../../../../src/load/problems.ts';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { keys } from '../../data/keys.ts';
import type { MetaBundle } from '../../meta/meta.ts';
import { findField, labelOf } from '../../meta/standard-fields.ts';
import { metaQuery } from '../../meta/use-meta.ts';
import { Button } from '../../widgets/button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Badge } from '../../widgets/feedback.tsx';
import { Muted, Row } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { Table } from '../../widgets/table.tsx';
import css from './import.module.css';
import { problemWord } from './import-words.ts';
import { DATA_LOAD, isBusy, type Load, PAGE, readProblems } from './load-data.ts';
import { Step } from './step.tsx';

/** The log of a load: bad values by row and field, broken links, changed values. */
export function ProblemLog({ load }: { readonly load: Load }) {
  const { name, status, counts, doctype } = load;
  const [kind, setKind] = useState<ProblemKind | ''>('');
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    // Each status has another log. During a run it would change under the reader.
    queryKey: [...keys.beside(DATA_LOAD, name, 'log'), status, counts.failed, kind],
    queryFn: ({ pageParam, signal }) => readProblems(name, kind, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
    enabled: !isBusy(load),
    placeholderData: keepPreviousData,
  });
  const bundle = useQuery({ ...metaQuery(doctype), enabled: doctype !== '' }).data;
  const problems = data?.pages.flat() ?? [];
  if (error) return <ErrorPanel error={error} />;
  if (problems.length === 0 && kind === '') return null;
  return (
    <Step title={t('Problems')}>
      <div className={css['choices']}>
        <Select
          label={t('Kind of problem')}
          value={kind === '' ? ALL : kind}
          onChange={(chosen) => setKind(KINDS.find((one) => one === chosen) ?? '')}
          choices={[
            { value: ALL, label: t('All') },
            ...KINDS.map((one) => ({ value: one, label: problemWord(one) })),
          ]}
        />
      </div>
      {problems.length === 0 ? (
        <Muted>{t('No problem of this kind.')}</Muted>
      ) : (
        <ProblemTable problems={problems} bundle={bundle} />
      )}
      {hasNextPage && (
        <Row>
          <Button icon="down" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('Show more')}
          </Button>
        </Row>
      )}
    </Step>
  );
}

function ProblemTable({
  problems,
  bundle,
}: {
  readonly problems: readonly LoadProblem[];
  readonly bundle: MetaBundle | undefined;
}) {
  return (
    <Table
      label={t('Problems by row')}
      isStacked
      rows={problems.map((problem, at) => ({ ...problem, at }))}
      rowKey={({ at }) => String(at)}
      columns={[
        {
          id: 'row',
          label: t('Row'),
          isHeader: true,
          cell: ({ row, key }) => (row > 0 ? formatNumber(row) : <bdi>{key}</bdi>),
        },
        {
          id: 'kind',
          label: t('Kind'),
          cell: ({ kind }) => <Badge tone={toneOf(kind)}>{problemWord(kind)}</Badge>,
        },
        { id: 'field', label: t('Field'), cell: ({ field }) => <bdi>{fieldWord(bundle, field)}</bdi> },
        { id: 'value', label: t('Value'), cell: ({ value }) => <bdi>{value}</bdi> },
        { id: 'reason', label: t('Reason'), cell: ({ reason }) => <bdi>{reason}</bdi> },
      ]}
    />
  );
}

const ALL = 'all';
const KINDS: readonly ProblemKind[] = ['error', 'changed', 'link', 'undo'];

function toneOf(kind: ProblemKind) {
  return kind === 'error' || kind === 'link' ? 'danger' : 'warning';
}

/** Labels of `subject` or `items.qty`. */
function fieldWord(bundle: MetaBundle | undefined, path: string): string {
  if (!bundle || path === '') return path;
  const [fieldname = '', inRow] = path.split('.');
  const field = findField(bundle.meta, fieldname);
  if (!field) return path;
  if (inRow === undefined) return labelOf(field);
  const child = bundle.children.get(field.options);
  const column = child && findField(child, inRow);
  return `${labelOf(field)} › ${column ? labelOf(column) : inRow}`;
}
