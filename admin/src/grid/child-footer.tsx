import { useCallback, useSyncExternalStore } from 'react';
import { t, tn } from '../base/i18n.ts';
import { useStore } from '../base/store.ts';
import { isUnset, isWritten } from '../form/doc-values.ts';
import { useForm, useValue } from '../form/form-context.ts';
import { formatValue } from '../meta/field-values.ts';
import type { Field } from '../meta/meta.ts';
import { Button } from '../widgets/button.tsx';
import { Muted, Toolbar } from '../widgets/layout.tsx';
import type { ChildActions } from './child-actions.ts';
import { columnStyle, isSummed, sumOf } from './child-columns.ts';
import css from './child-grid.module.css';
import { useChildGrid } from './child-grid-context.ts';

/** Sums of the columns that have one. */
export function ChildFooter({ width }: { readonly width: number }) {
  const { columns } = useChildGrid();
  if (!columns.some(({ field }) => isSummed(field))) return null;
  return (
    <div className={css['footer']} style={{ width }} role="presentation">
      <div className={css['head']} />
      {columns.map((column) => (
        <div key={column.field.fieldname} className={css['sum']} style={columnStyle(column)}>
          {isSummed(column.field) && <Sum field={column.field} />}
        </div>
      ))}
      <div className={css['tail']} />
    </div>
  );
}

function Sum({ field }: { readonly field: Field }) {
  const form = useForm();
  const { store } = form;
  const { table, meta } = useChildGrid();
  const isAmount = field.fieldtype === 'Currency' && field.options !== '';
  // Rows with currencies of their own have a sum without one.
  const isOneCurrency = !meta.fieldByName.has(field.options);
  useValue(isAmount && isOneCurrency ? field.options : table);
  const subscribe = useCallback(
    (listener: () => void) => store.subscribe(`${table}.${field.fieldname}`, listener),
    [store, table, field.fieldname],
  );
  // The server calculates read-only amounts. Until then their sum would be wrong.
  const sum = useSyncExternalStore(subscribe, () => {
    const rows = store.rows(table).filter(isWritten);
    const isOpen = field.read_only && rows.some(({ values }) => isUnset(values[field.fieldname]));
    return isOpen ? null : sumOf(rows.map((row) => row.values[field.fieldname]));
  });
  if (sum === null) return <Muted isSmall>{t('on save')}</Muted>;
  const text = formatValue(field, sum, isOneCurrency ? (name) => store.get(name) : undefined);
  return (
    <span title={t('Sum of {field}: {sum}', { field: t(field.label), sum: text })}>
      <span className="visually-hidden">{t('Sum')}</span> {text}
    </span>
  );
}

/** Buttons for the row actions. */
export function ChildToolbar({ actions }: { readonly actions: ChildActions }) {
  const { cursor, focus } = useChildGrid();
  const chosen = useStore(cursor).chosen.size;
  const then = (run: () => void) => () => {
    run();
    focus();
  };
  return (
    <div className={css['tools']}>
      <Toolbar label={t('Rows')}>
        <Button icon="plus" onClick={then(() => actions.addRow())}>
          {t('Add row')}
        </Button>
        {chosen > 0 && (
          <>
            <Button icon="copy" onClick={then(() => actions.duplicate())}>
              {t('Duplicate')}
            </Button>
            <Button icon="trash" onClick={then(() => actions.remove())}>
              {t('Delete')}
            </Button>
            <Muted isSmall>{tn(chosen, '{count} row selected', '{count} rows selected')}</Muted>
          </>
        )}
      </Toolbar>
    </div>
  );
}
