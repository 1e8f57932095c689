import { type ComponentType, type KeyboardEvent, type ReactNode, useEffect, useMemo } from 'react';
import { t } from '../base/i18n.ts';
import { createStore, useStore } from '../base/store.ts';
import { useUser } from '../data/boot.ts';
import { docActions } from '../meta/permissions.ts';
import { makeField } from '../meta/standard-fields.ts';
import { LineControl } from '../widgets/fields/text-control.tsx';
import { ErrorSummary } from './error-summary.tsx';
import css from './form.module.css';
import { FormBody } from './form-body.tsx';
import {
  type Form,
  FormContext,
  goToField,
  useFieldError,
  useForm,
  useValue,
  type Wish,
} from './form-context.ts';
import type { RecordModel } from './record.ts';
import { type TableProps, TableSlot } from './table-slot.ts';

interface RecordFormProps {
  readonly model: RecordModel;
  /** The grid of table fields. */
  readonly Table?: ComponentType<TableProps>;
  /** Content above the fields, such as warnings. */
  readonly above?: ReactNode;
  /** Content beside the fields on a wide screen, such as attachments and links. */
  readonly rail?: ReactNode;
  /** Content below the fields, such as comments, versions and deliveries. */
  readonly activity?: ReactNode;
  /** A field to focus at once. */
  readonly goTo?: string | null;
}

/** The form of a document of any doctype. The rail and the activity can use `useForm()` too. */
export function RecordForm({ model, Table, above, rail, activity, goTo = null }: RecordFormProps) {
  const form = useFormOf(model);
  useEffect(() => {
    if (goTo !== null) goToField(form, goTo);
  }, [form, goTo]);
  const holder = useMemo(() => ({ meta: form.meta, prefix: '' }), [form.meta]);
  return (
    <FormContext.Provider value={form}>
      <TableSlot.Provider value={Table ?? null}>
        <div className={css['form']} data-rail={rail ? '' : undefined}>
          <div className={css['main']}>
            <ErrorSummary model={model} />
            {above}
            <div className={css['sheet']}>
              <NameField />
              <FormBody holder={holder} />
            </div>
            <Beside>{activity}</Beside>
          </div>
          <Beside>{rail}</Beside>
        </div>
      </TableSlot.Provider>
    </FormContext.Provider>
  );
}

// Outside the fields, the browser's own undo applies to typed text.
function Beside({ children }: { readonly children: ReactNode }) {
  const keep = (event: KeyboardEvent) => {
    const isTyped = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (isTyped && (event.metaKey || event.ctrlKey) && /^[zy]$/i.test(event.key)) event.stopPropagation();
  };
  if (!children) return null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: key presses only bubble through this element
    <div className={css['beside']} onKeyDown={keep}>
      {children}
    </div>
  );
}

function useFormOf(model: RecordModel): Form {
  const user = useUser();
  const { stored } = useStore(model.state);
  const docname = stored?.name ?? null;
  const docstatus = stored?.docstatus ?? 0;
  const wish = useMemo(() => createStore<Wish | null>(null), []);
  return useMemo(() => {
    const { meta, children } = model.bundle;
    const { canWrite } = docActions(meta, model.rights, { docstatus, isNew: docname === null });
    return { store: model.store, meta, children, docname, docstatus, canWrite, user, wish };
  }, [model, docname, docstatus, user, wish]);
}

// Documents of some doctypes are named by their author.
function NameField() {
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
