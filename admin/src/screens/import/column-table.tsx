import { useMemo, useState } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { Badge } from '../../widgets/feedback.tsx';
import { Muted, Row, Truncate } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { Table } from '../../widgets/table.tsx';
import { cellText, fill, targetLabels } from './columns.ts';
import css from './import.module.css';
import type { Column, Inspection, Mapping } from './import-data.ts';

/** Columns that are shown at once. */
const PAGE = 50;
/** Values of a column that are shown. */
const SAMPLES = 3;

interface ColumnTableProps {
  readonly inspection: Inspection;
  readonly mapping: Mapping;
  readonly onMapping: (mapping: Mapping) => void;
}

/** The columns of the file, with values of each and the field that it fills. */
export function ColumnTable({ inspection, mapping, onMapping }: ColumnTableProps) {
  const { columns, targets, preview } = inspection;
  const [shown, setShown] = useState(PAGE);
  const choices = useMemo(() => {
    const labels = targetLabels(targets);
    const fields = targets.map(({ key }) => ({ value: key, label: labels.get(key) ?? key }));
    return [{ value: '', label: t('Leave out') }, ...fields];
  }, [targets]);
  const left = columns.length - shown;
  return (
    <>
      <Table
        label={t('Columns of the file')}
        isStacked
        rows={columns.slice(0, shown).map((column, at) => ({ column, at }))}
        rowKey={({ column }) => column.key}
        columns={[
          {
            id: 'head',
            label: t('Head'),
            isHeader: true,
            cell: ({ column, at }) => <bdi>{column.head || t('Column {number}', { number: at + 1 })}</bdi>,
          },
          {
            id: 'samples',
            label: t('Values'),
            cell: ({ at }) => <Samples values={preview.map((row) => cellText(row[at]))} />,
          },
          {
            id: 'target',
            label: t('Field'),
            cell: ({ column }) => (
              <TargetChoice
                {...{ column, choices }}
                onChoose={(target) => onMapping(fill(columns, mapping, column.key, target))}
              />
            ),
          },
        ]}
      />
      {left > 0 && (
        <Row>
          <Button icon="down" onClick={() => setShown(shown + PAGE)}>
            {tn(left, 'Show {count} more column', 'Show {count} more columns')}
          </Button>
        </Row>
      )}
    </>
  );
}

function Samples({ values }: { readonly values: readonly string[] }) {
  const some = [...new Set(values.filter((value) => value !== ''))].slice(0, SAMPLES);
  return some.length === 0 ? (
    <Muted isSmall>{t('Empty')}</Muted>
  ) : (
    <Truncate text={some.join(' · ')} className={css['sample'] ?? ''} />
  );
}

function TargetChoice({
  column,
  choices,
  onChoose,
}: {
  readonly column: Column;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly onChoose: (target: string | null) => void;
}) {
  return (
    <div className={css['target']}>
      <Select
        aria-label={t('Field for {column}', { column: column.head || column.key })}
        isSearchable
        openOnFocus={false}
        value={column.target ?? ''}
        choices={choices}
        onChange={(value) => onChoose(value || null)}
      />
      {column.by === 'shape' && column.target !== null && <Badge tone="warning">{t('By its values')}</Badge>}
    </div>
  );
}
