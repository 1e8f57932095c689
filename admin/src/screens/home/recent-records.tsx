import { useQueries } from '@tanstack/react-query';
import { moment } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { lastOpened, ownDoctypes } from '../../base/opened.ts';
import { paths } from '../../base/paths.ts';
import { type Boot, useBoot, useUser } from '../../data/boot.ts';
import { listRows } from '../../data/documents.ts';
import { useFreshness } from '../../data/events.ts';
import { keys } from '../../data/keys.ts';
import { Ago } from '../../widgets/ago.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Stack, Truncate } from '../../widgets/layout.tsx';
import css from './home.module.css';

/** Each doctype costs a request, so only the user's own doctypes are included. */
const DOCTYPES = 6;
const EACH = 8;
const SHOWN = 10;

interface Recent {
  readonly doctype: string;
  readonly name: string;
  readonly title: string;
  readonly modified: string;
  readonly modified_by: string;
}

/** Live list of recent changes in the user's doctypes, by everyone or by the user. */
export function RecentRecords({ isOwn = false }: { readonly isOwn?: boolean }) {
  const boot = useBoot();
  const user = useUser();
  const doctypes = workedDoctypes(boot);
  useFreshness(doctypes);
  const { rows, isPending, error, refetch } = useQueries({
    queries: doctypes.map((doctype) =>
      recentQuery(doctype, boot.doctypes.get(doctype)?.title_field ?? '', isOwn ? user.name : null),
    ),
    combine: (results) => ({
      rows: results
        .flatMap(({ data }) => data ?? [])
        .toSorted((a, b) => moment(b.modified) - moment(a.modified))
        .slice(0, SHOWN),
      isPending: results.some((result) => result.isPending),
      error: results.find((result) => result.error)?.error ?? null,
      refetch: () => results.map((result) => result.refetch()),
    }),
  });
  if (rows.length === 0 && isPending) return <Skeleton height={240} />;
  if (rows.length === 0 && error) return <ErrorPanel error={error} onRetry={refetch} />;
  if (rows.length === 0)
    return (
      <EmptyState icon="history" title={t('No records yet')}>
        {doctypes.length === 0
          ? t('Recent changes appear here after you create a doctype.')
          : t('Recent changes appear here.')}
      </EmptyState>
    );
  return (
    <ul className={css['recent']}>
      {rows.map((row) => (
        <li key={`${row.doctype} ${row.name}`}>
          <Stack gap={1}>
            <PathLink to={paths.record(row.doctype, row.name)}>
              <Truncate text={row.title} />
            </PathLink>
            <Muted isSmall>
              {row.title === row.name ? t(row.doctype) : `${t(row.doctype)} · ${row.name}`}
            </Muted>
          </Stack>
          <Muted isSmall>
            <Ago timestamp={row.modified} />
            {' · '}
            {row.modified_by === user.name ? t('by you') : row.modified_by}
          </Muted>
        </li>
      ))}
    </ul>
  );
}

function recentQuery(doctype: string, title: string, by: string | null) {
  const query = {
    fields: ['name', 'modified', 'modified_by', ...(title !== '' && title !== 'name' ? [title] : [])],
    order_by: 'modified desc',
    limit_page_length: EACH,
    ...(by === null ? {} : { filters: [['modified_by', '=', by] as const] }),
  };
  return {
    queryKey: keys.list(doctype, query),
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<readonly Recent[]> => {
      const rows = await listRows(doctype, query, { signal });
      return rows.map((row) => ({
        doctype,
        name: String(row['name']),
        title: String(row[title] || row['name']),
        modified: String(row['modified']),
        modified_by: String(row['modified_by']),
      }));
    },
  };
}

/** The user's doctypes: recently opened ones first, then the site's own. */
export function workedDoctypes({ doctypes }: Boot): readonly string[] {
  const own = ownDoctypes([...doctypes.values()]).filter((one) => !one.issingle && !one.is_virtual);
  const names = new Set(own.map((one) => one.name));
  const opened = lastOpened.get().filter((name) => names.has(name));
  return [...new Set([...opened, ...names])].slice(0, DOCTYPES);
}
