import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { formatDatetime, formatRelative } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import type { ListQuery } from '../../data/documents.ts';
import { MOST_ROWS, NO_EXTENT } from '../../grid/list-extent.ts';
import type { Row } from '../../grid/list-requests.ts';
import { useExtent, useListWindow } from '../../grid/use-list-window.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Badge } from '../../widgets/feedback.tsx';
import { Muted, Truncate } from '../../widgets/layout.tsx';
import { rolesOfUsersQuery } from './user-data.ts';
import css from './users.module.css';

const LINE = 52;
/** Placeholder rows until the first page or count arrives. */
const EXPECTED = 8;
/** Maximum roles named in a row. */
const NAMED = 3;

/** A virtualized list of users. */
export function UserList({ query, isNarrowed }: { readonly query: ListQuery; readonly isNarrowed: boolean }) {
  const scroller = useRef<HTMLElement>(null);
  const known = useExtent(JSON.stringify(['User', query.filters, query.or_filters]));
  const [extent] = known;
  const count = extent === NO_EXTENT ? EXPECTED : Math.min(extent.rows, MOST_ROWS);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    overscan: 4,
  });
  const items = rows.getVirtualItems();
  const start = items[0]?.index ?? 0;
  const end = (items.at(-1)?.index ?? EXPECTED - 1) + 1;
  const window = useListWindow('User', query, { start, end }, known);
  const shown = items.map(({ index }) => ({ index, row: window.rowAt(index) }));
  const names = shown.flatMap(({ row }) => (row ? [String(row['name'])] : []));
  const { data: roles } = useQuery({ ...rolesOfUsersQuery(names), placeholderData: (before) => before });
  if (window.error !== null) return <ErrorPanel error={window.error} onRetry={window.retry} />;
  if (count === 0) {
    return (
      <EmptyState icon="users" title={t('No users')}>
        {isNarrowed ? t('No user matches the search and the filter.') : null}
      </EmptyState>
    );
  }
  const above = items[0]?.start ?? 0;
  const below = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <section
      ref={scroller}
      className={css['list']}
      aria-label={t('Users')}
      aria-busy={window.isFetching}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be scrollable by keyboard
      tabIndex={0}
    >
      <table aria-rowcount={extent.isExact ? extent.rows + 1 : -1}>
        <thead>
          <tr>
            <th scope="col">{t('Name')}</th>
            <th scope="col">{t('State')}</th>
            <th scope="col" className={css['wide']}>
              {t('Roles')}
            </th>
            <th scope="col" className={css['wide']}>
              {t('Last sign-in')}
            </th>
          </tr>
        </thead>
        <tbody>
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {shown.map(({ index, row }) => (
            <UserRow
              key={index}
              index={index}
              row={row}
              roles={row ? (roles?.get(String(row['name'])) ?? []) : []}
            />
          ))}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </tbody>
      </table>
    </section>
  );
}

interface UserRowProps {
  readonly index: number;
  readonly row: Row | undefined;
  readonly roles: readonly string[];
}

function UserRow({ index, row, roles }: UserRowProps) {
  if (!row) {
    return (
      <tr aria-rowindex={index + 2} className={css['line']}>
        <td colSpan={4}>
          <span className={css['bone']} />
        </td>
      </tr>
    );
  }
  const name = String(row['name']);
  const title = String(row['full_name'] || name);
  return (
    <tr aria-rowindex={index + 2} className={css['line']}>
      <th scope="row">
        <PathLink to={paths.user(name)} className={css['userLink']} title={title} dir="auto">
          {title}
        </PathLink>
        <Muted isSmall>
          <Truncate text={name} />
        </Muted>
      </th>
      <td>
        {row['enabled'] === 1 ? <Badge tone="success">{t('Enabled')}</Badge> : <Badge>{t('Disabled')}</Badge>}
      </td>
      <td className={css['wide']}>
        <Roles names={roles} />
      </td>
      <td className={css['wide']}>
        <Moment of={row['last_login']} />
      </td>
    </tr>
  );
}

function Roles({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return <Muted>–</Muted>;
  const more = names.length - NAMED;
  return (
    <span className={css['roles']} title={names.join(', ')}>
      {names.slice(0, NAMED).map((name) => (
        <Badge key={name}>{name}</Badge>
      ))}
      {more > 0 && <Muted isSmall>{tn(more, '{count} more role', '{count} more roles')}</Muted>}
    </span>
  );
}

function Moment({ of }: { readonly of: unknown }) {
  if (typeof of !== 'string' || of === '') return <Muted>{t('Never')}</Muted>;
  return (
    <time dateTime={of} title={formatDatetime(of, 'full')} className={css['nowrap']}>
      {formatRelative(of)}
    </time>
  );
}
