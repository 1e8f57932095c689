import { t } from '../../base/i18n.ts';
import { Row, Stack } from '../../widgets/layout.tsx';
import { AuditExport } from './audit-export.tsx';
import { AuditFilterBar } from './audit-filters.tsx';
import { AuditList } from './audit-list.tsx';
import { useAudit } from './use-audit.ts';

/** The audit log: who did what, and from where. Read-only. */
export function AuditPart() {
  const view = useAudit(null);
  return (
    <Stack gap={3}>
      <Row isApart>
        <AuditFilterBar view={view} />
        <AuditExport view={view} />
      </Row>
      <AuditList view={view} label={t('Audit log')} />
    </Stack>
  );
}
