import { t } from '../../base/i18n.ts';
import { Muted, Truncate } from '../../widgets/layout.tsx';
import { Table } from '../../widgets/table.tsx';
import { cellText, targetLabels } from './columns.ts';
import css from './import.module.css';
import type { Inspection } from './import-data.ts';

/** Columns of the preview; more would be unreadable. */
const MOST = 40;

/** The first rows under the fields that they fill. */
export function PreviewTable({ inspection }: { readonly inspection: Inspection }) {
  const { columns, targets, preview } = inspection;
  const labels = targetLabels(targets);
  const filled = columns.flatMap(({ key, target }, at) => (target === null ? [] : [{ key, target, at }]));
  if (filled.length === 0 || preview.length === 0)
    return <Muted>{preview.length === 0 ? t('The file has no rows.') : t('No column fills a field.')}</Muted>;
  return (
    <Table
      label={t('First rows of the file')}
      rows={preview.map((cells, at) => ({ cells, at }))}
      rowKey={({ at }) => String(at)}
      columns={filled.slice(0, MOST).map(({ key, target, at }) => ({
        id: key,
        label: labels.get(target) ?? target,
        cell: ({ cells }: { cells: readonly unknown[] }) => (
          <Truncate text={cellText(cells[at])} className={css['sample'] ?? ''} />
        ),
      }))}
    />
  );
}
