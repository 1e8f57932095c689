import { useInfiniteQuery } from '@tanstack/react-query';
import type { LoadedRecord } from '../../../../src/load/read-records.ts';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { keys } from '../../data/keys.ts';
import { pluralOf } from '../../meta/nouns.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Badge } from '../../widgets/feedback.tsx';
import { Row } from '../../widgets/layout.tsx';
import { Table } from '../../widgets/table.tsx';
import { recordTone, recordWord } from './import-words.ts';
import { DATA_LOAD, isBusy, type Load, PAGE, readRecords } from './load-data.ts';
import { Step } from './step.tsx';

/** The records that a load has stored, with their documents. */
export function RecordList({ load }: { readonly load: Load }) {
  const { name, status, counts, doctype } = load;
  const isStored = !isBusy(load) && status !== 'Draft' && status !== 'Checked';
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [...keys.beside(DATA_LOAD, name, 'records'), status],
    queryFn: ({ pageParam, signal }) => readRecords(name, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last.at(-1)?.seq),
    enabled: isStored,
  });
  const records = data?.pages.flat() ?? [];
  if (error) return <ErrorPanel error={error} />;
  if (!isStored || records.length === 0) return null;
  const written = records.filter(({ action }) => action === 'inserted' || action === 'updated');
  const isAll = status !== 'Undone' && written.length === counts.inserted + counts.updated;
  const isOne = doctype !== '' && may(doctype, 'read');
  return (
    <Step title={t('Records')}>
      {isOne && isAll && fitsAddress(written) && (
        <Row>
          <PathLink to={paths.list(doctype, { filters: [['name', 'in', written.map((one) => one.name)]] })}>
            {t('Show the imported {records}', { records: pluralOf(doctype) })}
          </PathLink>
        </Row>
      )}
      <Table
        label={t('Stored records')}
        isStacked
        rows={records}
        rowKey={({ seq }) => String(seq)}
        columns={[
          {
            id: 'record',
            label: t('Record'),
            isHeader: true,
            cell: (record) => <Document record={record} isNamed={doctype === ''} />,
          },
          {
            id: 'action',
            label: t('Result'),
            cell: ({ action }) => <Badge tone={recordTone(action)}>{recordWord(action)}</Badge>,
          },
          { id: 'row', label: t('Row'), cell: ({ row }) => (row > 0 ? formatNumber(row) : '') },
        ]}
      />
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

/** `isNamed`: with its doctype. */
function Document({
  record: { doctype, name },
  isNamed,
}: {
  readonly record: LoadedRecord;
  readonly isNamed: boolean;
}) {
  const text = isNamed ? `${t(doctype)} ${name}` : name;
  // Rows of child tables have no screen, and neither have doctypes that the user may not read.
  if (name === '' || !may(doctype, 'read')) return <bdi>{text}</bdi>;
  return (
    <PathLink to={paths.record(doctype, name)}>
      <bdi>{text}</bdi>
    </PathLink>
  );
}

/** Characters of all names in the address of a list: servers accept some thousands in all. */
const MOST = 2_000;

function fitsAddress(written: readonly LoadedRecord[]): boolean {
  const length = written.reduce((sum, { name }) => sum + encodeURIComponent(name).length + 10, 0);
  return written.length > 0 && length <= MOST;
}
