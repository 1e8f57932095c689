import { lazy, Suspense, useMemo, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useLeaveGuard } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useStore } from '../../base/store.ts';
import { useChanges } from '../../data/events.ts';
import { CreateDrawer } from '../../form/create-drawer.tsx';
import { useDirty } from '../../form/form-context.ts';
import type { RecordModel } from '../../form/record.ts';
import { RecordForm } from '../../form/record-form.tsx';
import { ChildGrid } from '../../grid/child-grid.tsx';
import { docstatusWord } from '../../meta/field-values.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { Alert, Badge, type Tone } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { RecordRail } from './beside/rail.tsx';
import { Warnings } from './condition-warnings.tsx';
import css from './record.module.css';
import { RecordActions } from './record-actions.tsx';

// Loaded lazily, because it is below the fields.
const RecordActivity = lazy(async () => ({
  default: (await import('./beside/activity.tsx')).RecordActivity,
}));

interface RecordViewProps {
  readonly model: RecordModel;
  /** Called when a new document has been saved and has an address. */
  readonly onStored: () => void;
}

/** A loaded record: heading, actions and form. */
export function RecordView({ model, onStored }: RecordViewProps) {
  const { stored, isOutdated } = useStore(model.state);
  const { meta } = model.bundle;
  const goTo = useFieldInAddress();
  useChanges(stored ? [meta.name] : [], (change) => {
    if (change?.name === model.name) void model.notice(change.modified);
  });
  const held = stored?.[meta.title_field];
  const name = stored?.name ?? '';
  const title = stored
    ? typeof held === 'string' && held !== ''
      ? held
      : name
    : t('New {doctype}', { doctype: t(meta.name) });
  const trail = useMemo(
    () => (meta.issingle ? [] : [{ label: t(meta.name), path: paths.list(meta.name) }]),
    [meta],
  );
  return (
    <Page
      title={title}
      trail={trail}
      beside={
        <span className={css['beside']}>
          {stored && title !== name && <span className={css['name']}>{name}</span>}
          {stored && meta.is_submittable && (
            <Badge tone={TONES[stored.docstatus] ?? 'neutral'}>{docstatusWord(stored.docstatus)}</Badge>
          )}
          <DirtyMark model={model} />
        </span>
      }
      actions={<RecordActions model={model} onStored={onStored} />}
    >
      <CreateDrawer Table={ChildGrid}>
        <RecordForm
          model={model}
          Table={ChildGrid}
          goTo={goTo}
          rail={stored && <RecordRail doc={stored} canWrite={model.rights.has('write')} />}
          activity={
            stored && (
              <Suspense fallback={null}>
                <RecordActivity bundle={model.bundle} name={stored.name} />
              </Suspense>
            )
          }
          above={
            <>
              {isOutdated && <Outdated model={model} />}
              <Warnings meta={meta} />
            </>
          }
        />
      </CreateDrawer>
      <LeaveGuard model={model} />
    </Page>
  );
}

const TONES: Readonly<Record<number, Tone>> = { 0: 'neutral', 1: 'info', 2: 'danger' };

// A separate component, so that a change of the document re-renders only this mark.
function DirtyMark({ model }: { readonly model: RecordModel }) {
  const isDirty = useDirty(model.store);
  const { stored } = useStore(model.state);
  return isDirty || !stored ? <span className={css['dirty']}>{t('Not saved')}</span> : null;
}

function LeaveGuard({ model }: { readonly model: RecordModel }) {
  const isDirty = useDirty(model.store);
  const held = useLeaveGuard(isDirty);
  if (!held) return null;
  return (
    <Modal isOpen onClose={held.stay} title={t('Leave without saving?')}>
      <Stack>
        <p>{t('Your changes to this document are not saved.')}</p>
        <Row isApart>
          <Button onClick={held.stay} data-autofocus>
            {t('Stay')}
          </Button>
          <Button kind="danger" onClick={held.leave}>
            {t('Discard changes')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

function Outdated({ model }: { readonly model: RecordModel }) {
  return (
    <Alert tone="warning" title={t('Someone else has changed this document')}>
      <Row>
        <span>{t('On save you choose which values to keep.')}</span>
        <Button onClick={() => void model.save()}>{t('Save and select')}</Button>
      </Row>
    </Alert>
  );
}

/** The field to focus, from `#field=items[3].qty` in the address. */
function useFieldInAddress(): string | null {
  const [field] = useState(() => new URLSearchParams(location.hash.slice(1)).get('field'));
  return field;
}
