import type { ReactNode } from 'react';
import { formatDatetime } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { may } from '../../meta/permissions.ts';
import { Drawer } from '../../widgets/dialogs.tsx';
import { Stack } from '../../widgets/layout.tsx';
import { Table } from '../../widgets/table.tsx';
import { type AuditEntry, detailsOf } from './audit-data.ts';
import { fieldText } from './audit-documents.ts';
import { auditText, credentialText } from './audit-words.ts';
import css from './system.module.css';

/** An entry with all its facts. */
export function AuditDrawer({
  entry,
  onClose,
}: {
  readonly entry: AuditEntry | null;
  readonly onClose: () => void;
}) {
  return (
    <Drawer isOpen={entry !== null} onClose={onClose} title={t('Audit entry')}>
      {entry && <Entry entry={entry} />}
    </Drawer>
  );
}

function Entry({ entry }: { readonly entry: AuditEntry }) {
  const { reference_doctype: doctype, reference_name: name } = entry;
  const isLinked = doctype && name && !entry.event.endsWith('deleted') && may(doctype, 'read');
  return (
    <Stack gap={4}>
      <h3>
        <bdi>{auditText(entry)}</bdi>
      </h3>
      <dl className={css['details']}>
        <Fact label={t('Time')}>{formatDatetime(entry.creation, 'full')}</Fact>
        <Fact label={t('Who')}>{entry.user}</Fact>
        <Fact label={t('Document')}>
          {isLinked ? <PathLink to={paths.record(doctype, name)}>{`${t(doctype)} ${name}`}</PathLink> : name}
        </Fact>
        <Fact label={t('Signed in by')}>{credentialText(entry.credential)}</Fact>
        <Fact label={t('Address')}>{entry.address}</Fact>
        <Fact label={t('Program')}>{entry.user_agent}</Fact>
        <Fact label={t('Request')}>{entry.request_id && <code dir="ltr">{entry.request_id}</code>}</Fact>
      </dl>
      <Changes details={detailsOf(entry)} />
    </Stack>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  if (!children) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <bdi>{children}</bdi>
      </dd>
    </>
  );
}

function Changes({ details }: { readonly details: Readonly<Record<string, unknown>> }) {
  const rows = Object.entries(details).filter(([key]) => key !== 'change');
  if (rows.length === 0) return null;
  return (
    <Table
      label={t('Details')}
      isStacked
      rows={rows}
      rowKey={([key]) => key}
      columns={[
        { id: 'key', label: t('Field'), isHeader: true, cell: ([key]) => <bdi>{fieldText(key)}</bdi> },
        { id: 'value', label: t('Details'), cell: ([key, value]) => <bdi>{detailText(key, value)}</bdi> },
      ]}
    />
  );
}

// Old and new value of a field; lists of roles and rows are facts of their own.
function detailText(key: string, value: unknown): string {
  const shown = (one: unknown) => (one === null || one === '' ? t('Empty') : String(one));
  if (!Array.isArray(value)) return shown(value);
  const isChange = value.length === 2 && key !== 'added' && key !== 'removed';
  return isChange
    ? t('{old} → {new}', { old: shown(value[0]), new: shown(value[1]) })
    : value.map(shown).join(', ');
}
