import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { paths } from '../../base/paths.ts';
import { type ReportSource, sourceOfView } from '../../charts/report/report.ts';
import { ReportChart, ReportNumbers } from '../../charts/report/report-chart.tsx';
import { ReportTable } from '../../charts/report/report-table.tsx';
import { type ReportResult, useReport } from '../../charts/report/use-report.ts';
import type { Filter } from '../../data/documents.ts';
import { IconButton } from '../../widgets/button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Muted } from '../../widgets/layout.tsx';
import { CardList } from './card-list.tsx';
import type { Card } from './dashboard-data.ts';
import css from './dashboards.module.css';
import type { StoredView } from './view-data.ts';

/** Pixels of a chart. */
const HEIGHT = 220;

/** What a card shows of its view, with the rights of the viewer. */
export function CardContent({
  card,
  view,
  title,
}: {
  readonly card: Card;
  readonly view: StoredView;
  readonly title: string;
}) {
  const source = sourceOfView(view);
  if (card.type === 'List') return <CardList view={view} />;
  if (source === null) return <Muted>{t('This view is not a report.')}</Muted>;
  if (card.type !== 'Number') return <ReportCard source={source} title={title} />;
  // The number of all documents, however many groups the report has.
  const { report } = source;
  return (
    <ReportCard source={{ ...source, report: { ...report, groups: [], isPivot: false } }} title={title} />
  );
}

function ReportCard({ source, title }: { readonly source: ReportSource; readonly title: string }) {
  const { result, error, retry } = useReport(source);
  if (error) return <ErrorPanel error={error} onRetry={retry} />;
  if (!result) return <Skeleton height={source.report.groups.length === 0 ? 48 : HEIGHT} />;
  const pathOf = (more: readonly Filter[]) =>
    paths.list(source.doctype, {
      filters: [...(source.filters ?? []), ...more],
      ...(source.or_filters && { or: source.or_filters }),
    });
  if (result.report.groups.length === 0) return <ReportNumbers result={result} pathOf={pathOf} />;
  return <ChartOrTable result={result} title={title} pathOf={pathOf} />;
}

function ChartOrTable({
  result,
  title,
  pathOf,
}: {
  readonly result: ReportResult;
  readonly title: string;
  readonly pathOf: (conditions: readonly Filter[]) => string;
}) {
  const isTableOnly = result.report.chart === 'none';
  const [isTable, setTable] = useState(isTableOnly);
  return (
    <div className={css['content']}>
      {!isTableOnly && (
        <span className={css['switch']}>
          <IconButton
            isSmall
            icon={isTable ? 'chart' : 'table'}
            label={
              isTable ? t('Show {title} as a chart', { title }) : t('Show {title} as a table', { title })
            }
            onClick={() => setTable(!isTable)}
          />
        </span>
      )}
      {isTable ? (
        <ReportTable result={result} title={t('{title} as a table', { title })} pathOf={pathOf} />
      ) : (
        <ReportChart result={result} title={title} height={HEIGHT} pathOf={pathOf} />
      )}
    </div>
  );
}
