import { t } from '../../base/i18n.ts';
import { Badge } from '../../widgets/feedback.tsx';
import { Muted, Row } from '../../widgets/layout.tsx';
import { Table } from '../../widgets/table.tsx';
import { Described } from './described.tsx';
import type { FieldRow } from './operations.ts';
import { limitsOf, typeOf } from './schema-words.ts';

/** The fields of a doctype with their types and limits. */
export function FieldsPart({
  label,
  fields,
}: {
  readonly label: string;
  readonly fields: readonly FieldRow[];
}) {
  return (
    <Table
      label={label}
      isStacked
      rows={fields}
      rowKey={(row) => row.name}
      columns={[
        { id: 'name', label: t('Field'), isHeader: true, cell: ({ name }) => <code>{name}</code> },
        { id: 'type', label: t('Type'), cell: ({ schema }) => <code dir="ltr">{typeOf(schema)}</code> },
        {
          id: 'flags',
          label: t('Rules'),
          cell: ({ isRequired, isReadOnly }) =>
            (isRequired || isReadOnly) && (
              <Row gap={1}>
                {isRequired && <Badge tone="info">{t('Required')}</Badge>}
                {isReadOnly && <Badge>{t('Read-only')}</Badge>}
              </Row>
            ),
        },
        {
          id: 'limits',
          label: t('Limits'),
          cell: ({ schema }) => {
            const limits = limitsOf(schema);
            return limits !== '' && <Muted>{limits}</Muted>;
          },
        },
        {
          id: 'what',
          label: t('Description'),
          cell: ({ schema: { description } }) => description && <Described text={description} />,
        },
      ]}
    />
  );
}
