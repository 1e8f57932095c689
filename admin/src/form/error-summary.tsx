import { useEffect, useRef, useSyncExternalStore } from 'react';
import { t, tn } from '../base/i18n.ts';
import { useStore } from '../base/store.ts';
import type { MetaBundle } from '../meta/meta.ts';
import { labelOf } from '../meta/standard-fields.ts';
import { ErrorPanel } from '../widgets/error-panel.tsx';
import { Alert } from '../widgets/feedback.tsx';
import { parsePath } from './doc-path.ts';
import css from './error-summary.module.css';
import { goToField, useForm } from './form-context.ts';
import type { RecordModel } from './record.ts';

/**
 * Errors that prevent a save, each with a link to its field. After a refused save, the first wrong field has the
 * focus; the summary itself if no field is wrong. Screen readers read the summary as an alert.
 */
export function ErrorSummary({ model }: { readonly model: RecordModel }) {
  const form = useForm();
  const { store, bundle } = model;
  const errors = useSyncExternalStore(
    (listener) => store.subscribeErrors(listener),
    () => store.errors(),
  );
  const { failure, refusals } = useStore(model.state);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refusals === 0) return;
    const first = firstOf(store.errors(), bundle);
    if (first === null) box.current?.focus();
    else goToField(form, first);
  }, [refusals, store, bundle, form]);
  // Before a save, a wrong value is marked only at its field.
  if (refusals === 0 || (errors.length === 0 && failure === null)) return null;
  return (
    <div ref={box} tabIndex={-1} className={css['summary']}>
      {errors.length > 0 && (
        <Alert
          tone="danger"
          title={tn(
            errors.length,
            '{count} value needs your attention',
            '{count} values need your attention',
          )}
        >
          <ul className={css['list']}>
            {errors.slice(0, MOST).map(({ path, message }) => (
              <li key={path}>
                <button type="button" className={css['jump']} onClick={() => goToField(form, path)}>
                  {titleOf(path, bundle)}
                </button>{' '}
                <span dir="auto">{message}</span>
              </li>
            ))}
          </ul>
          {errors.length > MOST && tn(errors.length - MOST, 'And {count} more', 'And {count} more')}
        </Alert>
      )}
      {failure !== null && <ErrorPanel error={failure} refused={t('Couldn’t save')} />}
    </div>
  );
}

/** The path of the error that comes first in the form. */
function firstOf(errors: readonly { readonly path: string }[], { meta }: MetaBundle): string | null {
  const order = [...meta.fieldByName.keys()];
  const placeOf = (path: string) => order.indexOf(parsePath(path).field);
  const [first] = errors.map(({ path }) => path).toSorted((one, other) => placeOf(one) - placeOf(other));
  return first ?? null;
}

/** Maximum lines shown. Users fix these first. */
const MOST = 20;

/** A path as text: "Subject", "Items, row 4: Quantity". */
function titleOf(path: string, { meta, children }: MetaBundle): string {
  const { field: fieldname, row, cell } = parsePath(path);
  const field = meta.fieldByName.get(fieldname);
  const table = field ? labelOf(field) : fieldname === 'name' ? t('Name') : fieldname;
  if (row === undefined) return table;
  const column = cell === undefined ? undefined : children.get(field?.options ?? '')?.fieldByName.get(cell);
  const place = t('{table}, row {number}', { table, number: row + 1 });
  return cell === undefined ? place : `${place}: ${column ? labelOf(column) : cell}`;
}
