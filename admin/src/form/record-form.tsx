import { type ComponentType, type KeyboardEvent, type ReactNode, useEffect, useMemo } from 'react';
import { createStore, useStore } from '../base/store.ts';
import { useUser } from '../data/boot.ts';
import { docActions } from '../meta/permissions.ts';
import { ErrorSummary } from './error-summary.tsx';
import { useFirstField } from './focus-first.ts';
import css from './form.module.css';
import { FormBody } from './form-body.tsx';
import { type Form, FormContext, goToField, type Wish } from './form-context.ts';
import { NameField } from './name-field.tsx';
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
  /** Comments, versions and deliveries: below the fields, or beside them on a very wide screen. */
  readonly activity?: ReactNode;
  /** A field to focus at once. */
  readonly goTo?: string | null;
  /** Beside the editor of its doctype: it takes no focus. */
  readonly isPreview?: boolean;
}

/** The form of a document of any doctype. The rail and the activity can use `useForm()` too. */
export function RecordForm({
  model,
  Table,
  above,
  rail,
  activity,
  goTo = null,
  isPreview = false,
}: RecordFormProps) {
  const form = useFormOf(model);
  useEffect(() => {
    if (goTo !== null) goToField(form, goTo);
  }, [form, goTo]);
  useFirstField(form, goTo === null && !isPreview);
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
          </div>
          <Beside place="rail">{rail}</Beside>
          <Beside place="activity">{activity}</Beside>
        </div>
      </TableSlot.Provider>
    </FormContext.Provider>
  );
}

// Outside the fields, the browser's own undo applies to typed text.
function Beside({ place, children }: { readonly place: 'rail' | 'activity'; readonly children: ReactNode }) {
  const keep = (event: KeyboardEvent) => {
    const isTyped = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (isTyped && (event.metaKey || event.ctrlKey) && /^[zy]$/i.test(event.key)) event.stopPropagation();
  };
  if (!children) return null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: key presses only bubble through this element
    <div className={`${css['beside']} ${css[place]}`} onKeyDown={keep}>
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
