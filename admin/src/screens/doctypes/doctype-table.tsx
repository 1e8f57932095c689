import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useNarrow } from '../../grid/use-narrow.ts';
import { Ago } from '../../widgets/ago.tsx';
import { iconOfDoctype } from '../../widgets/doctype-icon.ts';
import { Badge } from '../../widgets/feedback.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { Muted, Row } from '../../widgets/layout.tsx';
import { Table, type TableColumn } from '../../widgets/table.tsx';
import { DoctypeMenu } from './doctype-menu.tsx';
import css from './doctypes.module.css';
import { RowCount } from './row-count.tsx';
import type { DoctypeLine } from './use-doctypes.ts';

export interface DoctypeTableProps {
  readonly label: string;
  readonly lines: readonly DoctypeLine[];
  /** Shows what the definitions tell. */
  readonly hasFacts: boolean;
  /** Child tables have no records of their own. */
  readonly hasRecords: boolean;
}

/** Doctypes with their kind, size and actions. */
export function DoctypeTable({ label, lines, hasFacts, hasRecords }: DoctypeTableProps) {
  const isNarrow = useNarrow();
  const columns: (TableColumn<DoctypeLine> | false)[] = [
    { id: 'name', label: t('Name'), isHeader: true, cell: (line) => <Name line={line} /> },
    !isNarrow && { id: 'module', label: t('Module'), cell: ({ module }) => <Muted>{module}</Muted> },
    hasRecords && {
      id: 'count',
      label: t('Records'),
      isNumber: true,
      cell: ({ listed }) => listed && <RowCount doctype={listed} />,
    },
    hasFacts &&
      !isNarrow && {
        id: 'fields',
        label: t('Fields'),
        isNumber: true,
        cell: ({ facts }) => facts?.fields,
      },
    hasFacts &&
      !isNarrow && {
        id: 'modified',
        label: t('Last changed'),
        cell: ({ facts }) => facts && <Ago timestamp={facts.modified} />,
      },
    {
      id: 'actions',
      label: <span className="visually-hidden">{t('Actions')}</span>,
      cell: (line) => <DoctypeMenu line={line} />,
    },
  ];
  return (
    <div className={css['table']}>
      <Table
        label={label}
        rows={lines}
        rowKey={({ name }) => name}
        columns={columns.filter((column) => column !== false)}
      />
    </div>
  );
}

function Name({ line }: { readonly line: DoctypeLine }) {
  const { name, listed, facts } = line;
  const path = listed?.issingle ? paths.record(name, name) : paths.list(name);
  return (
    <span className={css['name']}>
      <Icon name={listed ? iconOfDoctype(listed) : 'grid'} />
      <span>
        <Row gap={2}>
          {listed ? <PathLink to={path}>{t(name)}</PathLink> : t(name)}
          <Kinds line={line} />
        </Row>
        {facts?.description && (
          <span className={css['description']} dir="auto" title={facts.description}>
            {facts.description}
          </span>
        )}
      </span>
    </span>
  );
}

function Kinds({ line: { listed: doctype } }: { readonly line: DoctypeLine }) {
  if (!doctype) return null;
  return (
    <>
      {doctype.is_submittable && <Badge tone="info">{t('Submittable')}</Badge>}
      {doctype.is_tree && <Badge>{t('Tree')}</Badge>}
      {doctype.issingle && <Badge>{t('Single')}</Badge>}
      {doctype.is_virtual && <Badge>{t('Virtual')}</Badge>}
      {doctype.custom && <Badge tone="warning">{t('Custom')}</Badge>}
    </>
  );
}
