import { t } from '../../base/i18n.ts';
import { isApiError } from '../../data/api-error.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import css from './designer.module.css';
import { useDesign, useDesigned } from './designer-context.ts';
import { textOf } from './draft.ts';

/** What the server refuses about the design. Each problem of a field leads to the field. */
export function Problems({ error }: { readonly error: unknown }) {
  const store = useDesign();
  const problems = useDesigned((state) => state.problems);
  if (problems.size === 0)
    return error === null ? null : <ErrorPanel error={error} refused={t('Couldn’t save')} />;
  const labelOf = (fieldname: string) =>
    textOf(
      store.draft.fields.find(({ values }) => values['fieldname'] === fieldname)?.values ?? {},
      'label',
    ) || fieldname;
  const go = (fieldname: string) => {
    const field = store.draft.fields.find(({ values }) => textOf(values, 'fieldname') === fieldname);
    if (field) store.select(field.key);
  };
  return (
    <Alert tone="danger" title={t('The doctype cannot be saved yet')}>
      <ul className={css['problems']}>
        {[...problems].map(([fieldname, messages]) =>
          messages.map((message) => (
            <li key={message}>
              {fieldname === '' ? (
                message
              ) : (
                <button type="button" className={css['problemLink']} onClick={() => go(fieldname)}>
                  {t('{field}: {problem}', { field: labelOf(fieldname), problem: message })}
                </button>
              )}
            </li>
          )),
        )}
      </ul>
      {isApiError(error) && error.requestId !== '' && (
        <small>{t('Request {id}', { id: error.requestId })}</small>
      )}
    </Alert>
  );
}
