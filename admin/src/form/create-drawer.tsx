import type { ComponentType, ReactNode } from 'react';
import { t } from '../base/i18n.ts';
import { useShortcut } from '../base/shortcuts.ts';
import { useStore } from '../base/store.ts';
import { useUser } from '../data/boot.ts';
import { keepTitle } from '../meta/link-titles.ts';
import { Button } from '../widgets/button.tsx';
import { DialogFooter, Drawer } from '../widgets/dialogs.tsx';
import { ErrorPanel } from '../widgets/error-panel.tsx';
import { Spinner } from '../widgets/feedback.tsx';
import { commitFocused } from './commit-focused.ts';
import { newRecord, useRecord } from './load-record.ts';
import type { RecordModel } from './record.ts';
import { RecordForm } from './record-form.tsx';
import type { TableProps } from './table-slot.ts';

interface CreateDrawerProps {
  readonly doctype: string;
  /** The typed text, which becomes the title. */
  readonly text: string;
  readonly Table?: ComponentType<TableProps>;
  readonly onDone: (name: string | null) => void;
  /** Gives the links of the drawer their own dialogs. */
  readonly around: (form: ReactNode) => ReactNode;
}

/** The form of a new document in a drawer over another form. */
export function CreateDrawer({ doctype, text, ...rest }: CreateDrawerProps) {
  const user = useUser();
  const { model, error, retry } = useRecord(`${doctype}\n${text}`, async (signal) => {
    const made = await newRecord({ doctype, user, values: {}, copyOf: null }, signal);
    if (text.trim() !== '') begin(made, text.trim());
    return made;
  });
  return (
    <Drawer
      isOpen
      isSticky
      width={640}
      onClose={() => rest.onDone(null)}
      title={t('New {doctype}', { doctype: t(doctype) })}
    >
      {error ? <ErrorPanel error={error} onRetry={retry} /> : !model && <Spinner />}
      {model && <DrawerForm model={model} {...rest} />}
    </Drawer>
  );
}

interface DrawerFormProps extends Omit<CreateDrawerProps, 'doctype' | 'text'> {
  readonly model: RecordModel;
}

function DrawerForm({ model, Table, onDone, around }: DrawerFormProps) {
  const { busy } = useStore(model.state);
  const save = async () => {
    await commitFocused();
    if (!(await model.save())) return;
    const { stored } = model.state.get();
    if (!stored) return;
    const title = stored[model.bundle.meta.title_field];
    keepTitle(model.doctype, stored.name, typeof title === 'string' ? title : stored.name);
    onDone(stored.name);
  };
  useShortcut('dialog', 'mod+s', t('Save'), () => void save());
  return (
    <>
      {around(<RecordForm model={model} Table={Table} />)}
      <DialogFooter>
        <Button onClick={() => onDone(null)}>{t('Cancel')}</Button>
        <Button kind="primary" isBusy={busy !== null} onClick={() => void save()}>
          {t('Save')}
        </Button>
      </DialogFooter>
    </>
  );
}

// The text typed into the Link field becomes the new document's title.
function begin({ bundle: { meta }, store }: RecordModel, text: string): void {
  const named = /^field:(.+)$/i.exec(meta.autoname)?.[1]?.trim();
  const target = /^prompt/i.test(meta.autoname) ? 'name' : (named ?? meta.title_field);
  if (target !== '' && target !== 'name' && meta.fieldByName.get(target)?.fieldtype !== 'Data') return;
  if (target !== '') store.set(target, text);
}
