import type { ComponentType } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import type { RecordModel } from '../../form/record.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { Menu } from '../../widgets/menu.tsx';
import { RecordDialogs } from './record-dialogs.tsx';
import { type RecordActionsState, useRecordActions } from './use-record-actions.ts';

/** The parts of the header, in their order. One without an action for this record shows nothing. */
const PARTS: readonly { readonly id: string; readonly Part: ComponentType<RecordActionsState> }[] = [
  { id: 'save', Part: SaveButton },
  { id: 'submit', Part: SubmitButton },
  { id: 'cancel', Part: CancelButton },
  { id: 'amend', Part: AmendButton },
  { id: 'more', Part: MoreActions },
];

interface RecordActionsProps {
  readonly model: RecordModel;
  readonly onStored: () => void;
}

/** The actions that the doctype, the document's state and the user's rights allow. */
export function RecordActions({ model, onStored }: RecordActionsProps) {
  const state = useRecordActions(model, onStored);
  return (
    <>
      {PARTS.map(({ id, Part }) => (
        <Part key={id} {...state} />
      ))}
      <RecordDialogs model={model} name={state.dialog} onClose={() => state.open(null)} />
    </>
  );
}

function SaveButton({ actions, isDirty, isNew, busy, save, docstatus }: RecordActionsState) {
  // Few fields of a submitted document can change: the button comes with the first change.
  if (!actions.canWrite || (docstatus === 1 && !isDirty)) return null;
  return (
    <Button
      kind={actions.canSubmit && !isDirty ? 'default' : 'primary'}
      isBusy={busy === 'save'}
      disabled={!isNew && !isDirty}
      onClick={() => void save()}
    >
      {t('Save')}
    </Button>
  );
}

function SubmitButton({ actions, isDirty, open }: RecordActionsState) {
  if (!actions.canSubmit) return null;
  return (
    <Button kind={isDirty ? 'default' : 'primary'} onClick={() => open('submit')}>
      {t('Submit')}
    </Button>
  );
}

function CancelButton({ actions, open }: RecordActionsState) {
  return actions.canCancel ? <Button onClick={() => open('cancel')}>{t('Cancel document')}</Button> : null;
}

function AmendButton({ actions, model }: RecordActionsState) {
  const go = useGo();
  if (!actions.canAmend) return null;
  const amend = async () => {
    try {
      go(paths.record(model.doctype, await model.amend()));
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <Button kind="primary" onClick={() => void amend()}>
      {t('Amend')}
    </Button>
  );
}

function MoreActions({ items }: RecordActionsState) {
  return (
    <Menu target={<IconButton icon="more" label={t('More actions')} hasTooltip={false} />} items={items} />
  );
}
