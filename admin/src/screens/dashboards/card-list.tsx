import { useQuery } from '@tanstack/react-query';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useBoot } from '../../data/boot.ts';
import { listRows } from '../../data/documents.ts';
import { useFreshness } from '../../data/events.ts';
import { keys } from '../../data/keys.ts';
import { Ago } from '../../widgets/ago.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Truncate } from '../../widgets/layout.tsx';
import css from './dashboards.module.css';
import { parsedJson, type StoredView } from './view-data.ts';

/** Records of a list card. */
const ROWS = 8;

/** The first records of a view, in its order. */
export function CardList({ view }: { readonly view: StoredView }) {
  const { rows, error, refetch } = useFirstRows(view);
  const { reference_doctype: doctype } = view;
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!rows) return <Skeleton height={160} />;
  if (rows.length === 0) return <Muted>{t('Nothing to show')}</Muted>;
  return (
    <ul className={css['rows']}>
      {rows.map((row) => (
        <li key={row.name}>
          <PathLink to={paths.record(doctype, row.name)}>
            <Truncate text={row.title} />
          </PathLink>
          <Muted isSmall>
            <Ago timestamp={row.modified} />
          </Muted>
        </li>
      ))}
    </ul>
  );
}

function useFirstRows(view: StoredView) {
  const { doctypes } = useBoot();
  const { reference_doctype: doctype } = view;
  useFreshness([doctype]);
  const title = doctypes.get(doctype)?.title_field ?? '';
  const [filters, or] = [parsedJson(view['filters']), parsedJson(view['or_filters'])];
  const order = view.type === 'Report' ? '' : String(view['order_by'] ?? '');
  const query = {
    fields: ['name', 'modified', ...(title !== '' && title !== 'name' ? [title] : [])],
    ...(Array.isArray(filters) && filters.length > 0 && { filters }),
    ...(Array.isArray(or) && or.length > 0 && { or_filters: or }),
    order_by: order || 'modified desc',
    limit_page_length: ROWS,
  };
  const { data, error, refetch } = useQuery({
    queryKey: keys.list(doctype, query),
    queryFn: ({ signal }) => listRows(doctype, query, { signal }),
  });
  return {
    rows: data?.map((row) => ({
      name: String(row['name']),
      title: String(row[title] || row['name']),
      modified: String(row['modified']),
    })),
    error,
    refetch,
  };
}
