import { useQuery } from '@tanstack/react-query';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { listRows } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { Table } from '../../widgets/table.tsx';
import { type AuditFilters, auditQuery, SIGN_IN_EVENTS } from './audit-data.ts';
import { AuditExport } from './audit-export.tsx';
import { AuditFilterBar } from './audit-filters.tsx';
import { AuditList } from './audit-list.tsx';
import { type Attempts, attemptsBy } from './sign-in-figures.ts';
import css from './system.module.css';
import { useAudit } from './use-audit.ts';

/** Sign-in attempts: totals by user and by address, and each of them. */
export function SignInsPart() {
  const view = useAudit(SIGN_IN_EVENTS);
  return (
    <Stack gap={3}>
      <Row isApart>
        <AuditFilterBar view={view} isSignIns />
        <AuditExport view={view} />
      </Row>
      <div className={css['two']}>
        <Totals by="user" title={t('By user')} filters={view.filters} />
        <Totals by="address" title={t('By address')} filters={view.filters} />
      </div>
      <h2>{t('Attempts')}</h2>
      <AuditList view={view} label={t('Attempts')} />
    </Stack>
  );
}

/** Rows of a table of totals. */
const MOST = 5;

function Totals(props: {
  readonly by: 'user' | 'address';
  readonly title: string;
  readonly filters: AuditFilters;
}) {
  const { by, title, filters } = props;
  const { data, error } = useQuery({
    queryKey: [...keys.lists('Audit Log'), 'totals', by, filters],
    queryFn: ({ signal }) => {
      const { filters: conditions } = auditQuery(filters, SIGN_IN_EVENTS);
      const fields = [by, 'outcome', 'sum(occurrences) as attempts'];
      const query = { fields, filters: conditions, group_by: `${by}, outcome`, order_by: 'attempts desc' };
      return listRows<Attempts>('Audit Log', { ...query, limit_page_length: 200 }, { signal });
    },
  });
  if (error) return <ErrorPanel error={error} />;
  const rows = attemptsBy(data ?? [], by).slice(0, MOST);
  return (
    <Stack gap={2}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <Muted isSmall>{t('No attempts')}</Muted>
      ) : (
        <Table
          label={title}
          isStacked
          rows={rows}
          rowKey={({ name }) => name}
          columns={[
            {
              id: 'name',
              label: by === 'user' ? t('User') : t('Address'),
              isHeader: true,
              cell: ({ name }) => <bdi>{name || t('Unknown')}</bdi>,
            },
            { id: 'done', label: t('Signed in'), isNumber: true, cell: ({ done }) => formatNumber(done) },
            {
              id: 'refused',
              label: t('Refused'),
              isNumber: true,
              cell: ({ refused }) => formatNumber(refused),
            },
          ]}
        />
      )}
    </Stack>
  );
}
