import { t } from '../../../base/i18n.ts';
import type { Ask } from '../../../meta/currency.ts';
import { formatValue } from '../../../meta/field-values.ts';
import type { Meta, MetaBundle } from '../../../meta/meta.ts';
import { findField, labelOf } from '../../../meta/standard-fields.ts';
import { Badge } from '../../../widgets/feedback.tsx';
import css from './beside.module.css';
import type { Changed, ChangedRow } from './version-diff.ts';

interface RowChangesProps {
  readonly row: ChangedRow;
  readonly bundle: MetaBundle;
  /** Finds the currency of an amount. */
  readonly ask: Ask | undefined;
}

interface ChangesProps {
  readonly meta: Meta | undefined;
  readonly fields: readonly Changed[];
  readonly ask: Ask | undefined;
}

/** The changes of one row of a table. */
export function RowChanges({ row, bundle, ask }: RowChangesProps) {
  const table = bundle.meta.fieldByName.get(row.table);
  const child = table && bundle.children.get(table.options);
  return (
    <div>
      <p className={css['rowTitle']}>
        {t('{table}, row {number}', { table: table ? labelOf(table) : row.table, number: row.number })}{' '}
        {row.kind === 'added' && <Badge tone="success">{t('Added')}</Badge>}
        {row.kind === 'removed' && <Badge tone="danger">{t('Removed')}</Badge>}
      </p>
      <Changes meta={child} fields={row.fields} ask={ask} />
    </div>
  );
}

/** Fields with their old and new values. */
export function Changes({ meta, fields, ask }: ChangesProps) {
  return (
    <dl className={css['changes']}>
      {fields.map(({ fieldname, before, after }) => {
        const field = meta && findField(meta, fieldname);
        const textOf = (value: unknown) =>
          field ? formatValue(field, value, ask) : value === null ? '' : String(value);
        return (
          <div key={fieldname}>
            <dt>{field ? labelOf(field) : fieldname}</dt>
            <dd>
              <Side as="del" label={t('Before')} text={textOf(before)} />
              <Side as="ins" label={t('After')} text={textOf(after)} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

interface SideProps {
  readonly as: 'del' | 'ins';
  readonly label: string;
  readonly text: string;
}

// An unset value shows nothing: the other side says that the field was filled or emptied.
function Side({ as: Mark, label, text }: SideProps) {
  if (text === '') return null;
  return (
    <Mark>
      <span className="visually-hidden">{label}: </span>
      <bdi>{text}</bdi>
    </Mark>
  );
}
