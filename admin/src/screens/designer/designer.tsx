import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useLeaveGuard, useSearch, useSetSearch } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { Badge } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { Tabs } from '../../widgets/tabs.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import type { Design } from './design-data.ts';
import { DesignStore } from './design-store.ts';
import css from './designer.module.css';
import { DesignContext, useDesign, useDesigned, useDirty } from './designer-context.ts';
import { DoctypeMenu } from './doctype-menu.tsx';
import { draftOf, textOf } from './draft.ts';
import { FieldsTab } from './fields-tab.tsx';
import { JsonTab } from './json-tab.tsx';
import { LinksTab } from './links-tab.tsx';
import { ListTab } from './list-tab.tsx';
import { shipperOf } from './locks.ts';
import { NamingTab } from './naming-tab.tsx';
import { newDraft } from './new-draft.ts';
import { NewHead } from './new-head.tsx';
import { PermissionsTab } from './permissions-tab.tsx';
import { PlanDialog } from './plan-dialog.tsx';
import { Problems } from './problems.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { type Saving, useSaving } from './use-saving.ts';

/** The designer of a stored doctype, or of a new one. */
export function Designer({ design }: { readonly design: Design | null }) {
  const [store] = useState(
    () => new DesignStore(design, design ? draftOf(design.definition, true) : newDraft()),
  );
  return (
    <DesignContext.Provider value={store}>
      <DesignerPage />
    </DesignContext.Provider>
  );
}

function DesignerPage() {
  const store = useDesign();
  const saving = useSaving(store);
  const name = useDesigned(({ draft }) => textOf(draft.properties, 'name').trim());
  const isNew = store.design === null;
  return (
    <Page
      title={isNew ? t('New doctype') : t(name)}
      isFull
      trail={[{ label: t('Doctypes'), path: paths.doctypes() }]}
      beside={<State />}
      actions={<Actions saving={saving} />}
    >
      <div className={css['designer']}>
        {isNew && <NewHead />}
        <Problems error={saving.task.error} />
        <DesignerTabs />
      </div>
      {saving.plan && <PlanDialog saving={saving} plan={saving.plan} />}
      <ConflictDialog saving={saving} />
      <LeaveDialog isDone={saving.isDone} />
    </Page>
  );
}

function State() {
  const { design } = useDesign();
  const isDirty = useDirty();
  return (
    <Row gap={1}>
      {design && design.app !== '' && (
        <Badge tone="info">{t('Part of {app}', { app: shipperOf(design) })}</Badge>
      )}
      {isDirty && <Badge tone="warning">{t('Not saved')}</Badge>}
    </Row>
  );
}

function Actions({ saving }: { readonly saving: Saving }) {
  const store = useDesign();
  const canUndo = useDesigned((state) => state.canUndo);
  const canRedo = useDesigned((state) => state.canRedo);
  const isDirty = useDirty();
  const isNew = store.design === null;
  const save = () => (isDirty || isNew) && saving.start();
  useShortcut('form', 'mod+s', t('Save'), save);
  useShortcut('form', 'mod+z', t('Undo'), () => store.undo());
  useShortcut('form', 'mod+shift+z', t('Redo'), () => store.redo());
  return (
    <>
      <IconButton icon="undo" label={t('Undo')} disabled={!canUndo} onClick={() => store.undo()} />
      <IconButton icon="redo" label={t('Redo')} disabled={!canRedo} onClick={() => store.redo()} />
      {store.design && <DoctypeMenu design={store.design} onGone={saving.finish} />}
      <Button kind="primary" isBusy={saving.task.isBusy} disabled={!isDirty} onClick={save}>
        {isNew ? t('Create doctype') : t('Save')}
      </Button>
    </>
  );
}

function DesignerTabs() {
  const tab = useSearch((search) => (typeof search['tab'] === 'string' ? search['tab'] : 'fields'));
  const setSearch = useSetSearch();
  const tabs = [
    { id: 'fields', label: t('Fields'), content: <FieldsTab /> },
    { id: 'naming', label: t('Naming'), content: <NamingTab /> },
    { id: 'permissions', label: t('Permissions'), content: <PermissionsTab /> },
    { id: 'links', label: t('Links'), content: <LinksTab /> },
    { id: 'list', label: t('List'), content: <ListTab /> },
    { id: 'settings', label: t('Settings'), content: <SettingsTab /> },
    { id: 'json', label: t('JSON'), content: <JsonTab /> },
  ];
  const shown = tabs.some(({ id }) => id === tab) ? tab : 'fields';
  return (
    <Tabs
      label={t('Parts of the doctype')}
      tabs={tabs}
      value={shown}
      onChange={(id) => setSearch({ tab: id === 'fields' ? undefined : id })}
    />
  );
}

function LeaveDialog({ isDone }: { readonly isDone: boolean }) {
  const isDirty = useDirty();
  const held = useLeaveGuard(isDirty && !isDone);
  if (!held) return null;
  return (
    <Modal isOpen onClose={held.stay} title={t('Leave without saving?')}>
      <Stack>
        <p>{t('The changes of the doctype are not saved.')}</p>
        <Row isApart>
          <Button onClick={held.stay}>{t('Stay')}</Button>
          <Button kind="danger" onClick={held.leave}>
            {t('Discard changes')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
