import { formatDatetime, formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Badge, Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Row } from '../../widgets/layout.tsx';
import { Table } from '../../widgets/table.tsx';
import { type AuditEntry, auditFiltersOf } from './audit-data.ts';
import { AuditDrawer } from './audit-drawer.tsx';
import { auditText, credentialText } from './audit-words.ts';
import css from './system.module.css';
import { type AuditView, PAGE_LENGTH } from './use-audit.ts';

/** Entries of the log with their pages and details. */
export function AuditList({ view, label }: { readonly view: AuditView; readonly label: string }) {
  const { rows, isFiltered, setFilters } = view;
  if (rows.error) return <ErrorPanel error={rows.error} onRetry={() => void rows.refetch()} />;
  if (!rows.data) return <Skeleton height={400} />;
  if (rows.data.length === 0)
    return (
      <EmptyState
        icon={isFiltered ? 'filter' : 'history'}
        title={isFiltered ? t('No matching entries') : t('No entries yet')}
        action={
          isFiltered && <Button onClick={() => setFilters(auditFiltersOf({}))}>{t('Clear filters')}</Button>
        }
      />
    );
  return (
    <>
      <EntryTable rows={rows.data} label={label} onOpen={view.open} />
      <Pages view={view} length={rows.data.length} />
      <AuditDrawer entry={view.opened} onClose={() => view.open(null)} />
    </>
  );
}

function EntryTable({
  rows,
  label,
  onOpen,
}: {
  readonly rows: readonly AuditEntry[];
  readonly label: string;
  readonly onOpen: (name: string) => void;
}) {
  return (
    <Table
      label={label}
      isStacked
      rows={rows}
      rowKey={({ name }) => name}
      columns={[
        {
          id: 'time',
          label: t('Time'),
          cell: ({ name, creation }) => (
            <button
              type="button"
              className={css['opener']}
              title={formatDatetime(creation, 'full')}
              aria-haspopup="dialog"
              onClick={() => onOpen(name)}
            >
              {formatDatetime(creation)}
            </button>
          ),
        },
        {
          id: 'who',
          label: t('Who'),
          cell: ({ user }) => (user ? <bdi>{user}</bdi> : <Muted>{t('Unknown')}</Muted>),
        },
        { id: 'what', label: t('What'), isHeader: true, cell: (entry) => <What entry={entry} /> },
        { id: 'from', label: t('From'), cell: (entry) => <From entry={entry} /> },
      ]}
    />
  );
}

function What({ entry }: { readonly entry: AuditEntry }) {
  return (
    <div className={css['what']}>
      <Row>
        <bdi>{auditText(entry)}</bdi>
        {entry.outcome === 'Failed' && <Badge tone="danger">{t('Refused')}</Badge>}
        {entry.occurrences > 1 && (
          <Badge>{t('{count} times', { count: formatNumber(entry.occurrences) })}</Badge>
        )}
      </Row>
    </div>
  );
}

function From({ entry: { address, credential } }: { readonly entry: AuditEntry }) {
  return (
    <div className={css['from']}>
      {address && <bdi>{address}</bdi>}
      {credential && <Muted isSmall>{credentialText(credential)}</Muted>}
    </div>
  );
}

function Pages({
  view: { page, setPage, count },
  length,
}: {
  readonly view: AuditView;
  readonly length: number;
}) {
  const from = formatNumber(page * PAGE_LENGTH + 1);
  const to = formatNumber(page * PAGE_LENGTH + length);
  const total =
    count &&
    `${formatNumber(Math.max(count.count, page * PAGE_LENGTH + length))}${count.isCapped ? '+' : ''}`;
  return (
    <Row isApart>
      <Muted isSmall>
        {total ? t('{from}–{to} of {total}', { from, to, total }) : t('{from}–{to}', { from, to })}
      </Muted>
      {(page > 0 || length === PAGE_LENGTH) && (
        <Row>
          <Button icon="start" disabled={page === 0} onClick={() => setPage(page - 1)}>
            {t('Newer')}
          </Button>
          <Button endIcon="end" disabled={length < PAGE_LENGTH} onClick={() => setPage(page + 1)}>
            {t('Older')}
          </Button>
        </Row>
      )}
    </Row>
  );
}
