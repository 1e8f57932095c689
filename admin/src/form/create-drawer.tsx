import { type ComponentType, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { t } from '../base/i18n.ts';
import { useShortcut } from '../base/shortcuts.ts';
import { useStore } from '../base/store.ts';
import { useUser } from '../data/boot.ts';
import { keepTitle } from '../meta/link-titles.ts';
import { Button } from '../widgets/button.tsx';
import { Drawer } from '../widgets/dialogs.tsx';
import { ErrorPanel } from '../widgets/error-panel.tsx';
import { Spinner } from '../widgets/feedback.tsx';
import { type CreateNew, CreateNewContext } from '../widgets/fields/create-new.ts';
import { Row, Stack } from '../widgets/layout.tsx';
import { commitFocused } from './commit-focused.ts';
import { newRecord, useRecord } from './load-record.ts';
import type { RecordModel } from './record.ts';
import { RecordForm } from './record-form.tsx';
import type { TableProps } from './table-slot.ts';

interface Wanted {
  readonly doctype: string;
  readonly text: string;
  readonly resolve: (name: string | null) => void;
}

/** Lets Link fields create their target document in a drawer over the form. */
export function CreateDrawer({
  Table,
  children,
}: {
  readonly Table?: ComponentType<TableProps>;
  readonly children: ReactNode;
}) {
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const open = useCallback<CreateNew>(
    (doctype, text) => new Promise((resolve) => setWanted({ doctype, text, resolve })),
    [],
  );
  const close = (name: string | null) => {
    wanted?.resolve(name);
    setWanted(null);
  };
  return (
    <CreateNewContext.Provider value={open}>
      {children}
      {wanted && (
        <Drawer
          isOpen
          isSticky
          width={640}
          onClose={() => close(null)}
          title={t('New {doctype}', { doctype: t(wanted.doctype) })}
        >
          <NewInDrawer wanted={wanted} Table={Table} onDone={close} />
        </Drawer>
      )}
    </CreateNewContext.Provider>
  );
}

interface NewInDrawerProps {
  readonly wanted: Wanted;
  readonly Table?: ComponentType<TableProps>;
  readonly onDone: (name: string | null) => void;
}

function NewInDrawer({ wanted, Table, onDone }: NewInDrawerProps) {
  const user = useUser();
  const { doctype, text } = wanted;
  const { model, error, retry } = useRecord(`${doctype}\n${text}`, async (signal) => {
    const made = await newRecord({ doctype, user, values: {}, copyOf: null }, signal);
    if (text.trim() !== '') begin(made, text.trim());
    return made;
  });
  if (error) return <ErrorPanel error={error} onRetry={retry} />;
  if (!model) return <Spinner />;
  return <DrawerForm model={model} Table={Table} onDone={onDone} />;
}

interface DrawerFormProps extends Omit<NewInDrawerProps, 'wanted'> {
  readonly model: RecordModel;
}

function DrawerForm({ model, Table, onDone }: DrawerFormProps) {
  const { busy } = useStore(model.state);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current
      ?.querySelector<HTMLElement>('[data-path] :is(input, textarea):not([readonly], [type=file])')
      ?.focus();
  }, []);
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
    <Stack>
      <CreateDrawer Table={Table}>
        <div ref={box}>
          <RecordForm model={model} Table={Table} />
        </div>
      </CreateDrawer>
      <Row isApart>
        <Button onClick={() => onDone(null)}>{t('Cancel')}</Button>
        <Button kind="primary" isBusy={busy !== null} onClick={() => void save()}>
          {t('Save')}
        </Button>
      </Row>
    </Stack>
  );
}

// The text typed into the Link field becomes the new document's title.
function begin({ bundle: { meta }, store }: RecordModel, text: string): void {
  const named = /^field:(.+)$/i.exec(meta.autoname)?.[1]?.trim();
  const target = /^prompt/i.test(meta.autoname) ? 'name' : (named ?? meta.title_field);
  if (target !== '' && target !== 'name' && meta.fieldByName.get(target)?.fieldtype !== 'Data') return;
  if (target !== '') store.set(target, text);
}
