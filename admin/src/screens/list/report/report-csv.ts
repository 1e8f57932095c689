import { t } from '../../../base/i18n.ts';
import { gridOf } from '../../../charts/report/report-grid.ts';
import { groupLabel, groupText, measureLabel } from '../../../charts/report/report-words.ts';
import type { ReportResult } from '../../../charts/report/use-report.ts';
import { BYTE_ORDER_MARK, csvRow } from '../../../grid/list-csv.ts';

/** A report as CSV: its rows and columns as the table shows them, with plain numbers. */
export function reportCsv(result: ReportResult): string {
  const { meta, report, titleOf } = result;
  const { groups, measures } = report;
  const grid = gridOf(result);
  const second = groups[1];
  const heads = grid.columns.map(({ value, measure }) => {
    const found = measures[measure];
    const label = found ? measureLabel(meta, found) : '';
    if (!report.isPivot || !second) return label;
    const across = value === undefined ? t('Total') : groupText(meta, second, value, titleOf);
    return measures.length > 1 ? `${across} · ${label}` : across;
  });
  const lines = [
    [...groups.slice(0, grid.depth).map((group) => groupLabel(meta, group)), ...heads],
    ...grid.rows.map(({ keys, values }) => [
      ...groups.slice(0, grid.depth).map((group, at) => groupText(meta, group, keys[at] ?? null, titleOf)),
      ...values,
    ]),
    [...groups.slice(0, grid.depth).map((_, at) => (at === 0 ? t('Total') : '')), ...grid.totals],
  ];
  return BYTE_ORDER_MARK + lines.map((line) => csvRow(line, { isGuarded: true })).join('');
}
