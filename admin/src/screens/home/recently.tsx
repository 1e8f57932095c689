import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useBoot } from '../../data/boot.ts';
import { Ago } from '../../widgets/ago.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Card, Muted, Stack, Truncate } from '../../widgets/layout.tsx';
import css from './home.module.css';
import { type Recent, useRecent } from './use-recent.ts';
import { workedDoctypes } from './worked-doctypes.ts';

/** Records that changed last: the user's first, then those of others. */
export function Recently() {
  return (
    <Card label={t('Recently changed')}>
      <Stack gap={2}>
        <h2>{t('Recently changed')}</h2>
        <Records />
      </Stack>
    </Card>
  );
}

function Records() {
  const own = useRecent('own');
  const others = useRecent('others');
  const error = own.error ?? others.error;
  const isEmpty = own.rows.length + others.rows.length === 0;
  const retry = () => [own, others].map(({ refetch }) => refetch());
  if (isEmpty && (own.isPending || others.isPending)) return <Skeleton height={240} />;
  if (isEmpty && error) return <ErrorPanel error={error} onRetry={retry} />;
  if (isEmpty) return <NoRecords />;
  return (
    <>
      {own.rows.length > 0 && <Group title={t('By you')} rows={own.rows} isOwn />}
      {others.rows.length > 0 && <Group title={t('By others')} rows={others.rows} />}
    </>
  );
}

function Group({
  title,
  rows,
  isOwn = false,
}: {
  readonly title: string;
  readonly rows: readonly Recent[];
  readonly isOwn?: boolean;
}) {
  return (
    <section aria-label={title}>
      <h3 className={css['group']}>{title}</h3>
      <ul className={css['recent']}>
        {rows.map((row) => (
          <li key={`${row.doctype} ${row.name}`}>
            <div className={css['record']}>
              <PathLink to={paths.record(row.doctype, row.name)}>
                <Truncate text={row.title} />
              </PathLink>
              <Muted isSmall>
                {row.title === row.name ? t(row.doctype) : `${t(row.doctype)} · ${row.name}`}
              </Muted>
            </div>
            <Muted isSmall>
              <Ago timestamp={row.modified} />
              {!isOwn && ` · ${row.modified_by}`}
            </Muted>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NoRecords() {
  const hasDoctypes = workedDoctypes(useBoot()).length > 0;
  return (
    <EmptyState icon="history" title={t('No records yet')}>
      {hasDoctypes
        ? t('Recent changes appear here.')
        : t('Recent changes appear here after you create a doctype.')}
    </EmptyState>
  );
}
