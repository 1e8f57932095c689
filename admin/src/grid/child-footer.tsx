import { useCallback, useSyncExternalStore } from 'react';
import { t, tn } from '../base/i18n.ts';
import { useStore } from '../base/store.ts';
import { useForm } from '../form/form-context.ts';
import { formatValue } from '../meta/field-values.ts';
import type { Field } from '../meta/meta.ts';
import { Button } from '../widgets/button.tsx';
import { Muted, Toolbar } from '../widgets/layout.tsx';
import type { ChildActions } from './child-actions.ts';
import { isSummed, sumOf } from './child-columns.ts';
import css from './child-grid.module.css';
import { useChildGrid } from './child-grid-context.ts';

/** Sums of the columns that have one. */
export function ChildFooter({ width }: { readonly width: number }) {
  const { columns } = useChildGrid();
  if (!columns.some(({ field }) => isSummed(field))) return null;
  return (
    <div className={css['footer']} style={{ width }} role="presentation">
      <div className={css['head']} />
      {columns.map(({ field, width: cellWidth }) => (
        <div key={field.fieldname} className={css['sum']} style={{ width: cellWidth }}>
          {isSummed(field) && <Sum field={field} />}
        </div>
      ))}
      <div className={css['tail']} />
    </div>
  );
}

function Sum({ field }: { readonly field: Field }) {
  const { store } = useForm();
  const { table } = useChildGrid();
  const subscribe = useCallback(
    (listener: () => void) => store.subscribe(`${table}.${field.fieldname}`, listener),
    [store, table, field.fieldname],
  );
  const sum = useSyncExternalStore(subscribe, () =>
    sumOf(store.rows(table).map((row) => row.values[field.fieldname])),
  );
  const text = formatValue(field, sum);
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
