import { t } from '../base/i18n.ts';
import { makeField } from '../meta/standard-fields.ts';
import { LineControl } from '../widgets/fields/text-control.tsx';
import css from './form.module.css';
import { useFieldError, useForm, useValue } from './form-context.ts';

/** Documents of some doctypes are named by their author. */
export function NameField() {
  const { docname, meta } = useForm();
  const isAsked = docname === null && !meta.issingle && /^prompt/i.test(meta.autoname);
  return isAsked ? (
    <div className={css['name']} data-path="name">
      <NameInput isRequired={/^prompt$/i.test(meta.autoname)} />
    </div>
  ) : null;
}

function NameInput({ isRequired }: { readonly isRequired: boolean }) {
  const { store, meta } = useForm();
  const value = useValue('name');
  const error = useFieldError('name');
  return (
    <LineControl
      field={makeField({ fieldname: 'name', fieldtype: 'Data', label: t('Name') })}
      value={value}
      onChange={(next) => store.set('name', next)}
      isReadOnly={false}
      isRequired={isRequired}
      error={error ?? undefined}
      doctype={meta.name}
      docname={null}
      valueOf={(name) => store.get(name)}
    />
  );
}
