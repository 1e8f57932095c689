import { t } from '../../../base/i18n.ts';
import { paths } from '../../../base/paths.ts';
import { saveFile } from '../../../base/save-file.ts';
import {
  COUNT,
  chartsOf,
  type Report,
  type ReportChartKind,
  settingsOf,
} from '../../../charts/report/report.ts';
import { ReportChart } from '../../../charts/report/report-chart.tsx';
import { ReportTable } from '../../../charts/report/report-table.tsx';
import { reportWords } from '../../../charts/report/report-words.ts';
import { type ReportResult, useReport } from '../../../charts/report/use-report.ts';
import type { Filter } from '../../../data/documents.ts';
import { conditionsOf } from '../../../grid/list-filters.ts';
import { searchParameters } from '../../../grid/list-search.ts';
import { useNarrow } from '../../../grid/use-narrow.ts';
import { Button, IconButton } from '../../../widgets/button.tsx';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { Skeleton } from '../../../widgets/feedback.tsx';
import { SegmentedControl } from '../../../widgets/segmented-control.tsx';
import type { ListViewProps } from '../list-view-props.ts';
import { reportOfList } from './report-choices.ts';
import { reportCsv } from './report-csv.ts';
import { ReportSettings } from './report-settings.tsx';
import css from './report-view.module.css';

/** A list as a report: groups, figures, a chart, and a table that leads to the documents of each group. */
export function View({
  bundle: { meta },
  fields,
  search,
  conditions,
  settings,
  onSettings,
  whenEmpty,
}: ListViewProps) {
  const report = reportOfList(settings, fields);
  const { result, error, isRunning, retry } = useReport({ doctype: meta.name, ...conditions, report });
  const change = (changes: Partial<Report>) => onSettings(settingsOf({ ...report, ...changes }));
  const pathOf = (more: readonly Filter[]) =>
    paths.list(
      meta.name,
      searchParameters({
        ...search,
        filters: [...search.filters, ...conditionsOf(more, meta.name).conditions],
        as: 'table',
        settings: {},
        view: null,
      }),
    );
  return (
    <div className={css['report']}>
      <ReportSettings {...{ meta, fields, report }} onChange={change} />
      {error ? (
        <ErrorPanel error={error} onRetry={retry} />
      ) : !result ? (
        <Skeleton height={260} />
      ) : isEmpty(result) ? (
        whenEmpty
      ) : (
        <div className={css['result']} aria-busy={isRunning}>
          <div className={css['head']}>
            <h2 dir="auto">{reportWords(meta, report)}</h2>
            <Tools {...{ result, report }} onChart={(chart) => change({ chart })} />
          </div>
          <Result {...{ result, pathOf }} onSort={(by) => change({ sort: nextSort(report, by) })} />
        </div>
      )}
    </div>
  );
}

function Tools({
  result,
  report,
  onChart,
}: {
  readonly result: ReportResult;
  readonly report: Report;
  readonly onChart: (chart: ReportChartKind) => void;
}) {
  const isNarrow = useNarrow();
  const save = () =>
    saveFile(`${result.meta.name}.csv`, new Blob([reportCsv(result)], { type: 'text/csv;charset=utf-8' }));
  return (
    <div className={css['tools']}>
      {report.groups.length > 0 && (
        <span className={css['kinds']}>
          <SegmentedControl
            label={t('Chart')}
            value={report.chart}
            onChange={onChart}
            choices={chartsOf(report.groups, report.measures[0] ?? COUNT).map((chart) => ({
              value: chart,
              label: chartWord(chart),
            }))}
          />
        </span>
      )}
      {isNarrow ? (
        <IconButton icon="download" label={t('Export CSV')} onClick={save} />
      ) : (
        <Button icon="download" onClick={save}>
          {t('Export CSV')}
        </Button>
      )}
    </div>
  );
}

function Result({
  result,
  pathOf,
  onSort,
}: {
  readonly result: ReportResult;
  readonly pathOf: (conditions: readonly Filter[]) => string;
  readonly onSort: (by: Report['sort']['by']) => void;
}) {
  const { report } = result;
  const title = t('Report: {doctype}', { doctype: t(result.meta.name) });
  const hasTable = report.groups.length > 0;
  const hasChart = !hasTable || report.chart !== 'none';
  return (
    <div className={css['parts']} data-beside={hasChart && hasTable ? besideOf(result) : undefined}>
      {hasChart && (
        <section className={css['card']} aria-label={t('Chart')}>
          <ReportChart {...{ result, title, pathOf }} />
        </section>
      )}
      {hasTable && (
        <section className={css['card']} data-table aria-label={t('Figures')}>
          <ReportTable {...{ result, pathOf, onSort }} title={t('{title} as a table', { title })} />
        </section>
      )}
    </div>
  );
}

/** A table of few columns has room beside its chart, if it is about as long. */
function besideOf({ report: { groups, measures, isPivot }, cells }: ReportResult): string | undefined {
  if (isPivot || groups.length + measures.length > 3) return undefined;
  if (groups.length > 1 && cells.length > 8) return undefined;
  return cells.length > 12 ? 'long' : 'short';
}

function isEmpty({ report, cells }: ReportResult): boolean {
  return report.groups.length > 0 && cells.length === 0;
}

// Figures start with the largest, groups with the first.
function nextSort({ sort }: Report, by: Report['sort']['by']): Report['sort'] {
  return { by, isDescending: sort.by === by ? !sort.isDescending : by !== 'group' };
}

function chartWord(chart: ReportChartKind): string {
  switch (chart) {
    case 'none':
      return t('No chart');
    case 'bar':
      return t('Bars');
    case 'stacked':
      return t('Stacked');
    case 'line':
      return t('Lines');
    case 'donut':
      return t('Donut');
  }
}
