import { lazy, Suspense, useMemo, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import { useChanges } from '../../data/events.ts';
import { LinkDialogs } from '../../form/link-dialogs.tsx';
import type { RecordModel } from '../../form/record.ts';
import { RecordForm } from '../../form/record-form.tsx';
import { ChildGrid } from '../../grid/child-grid.tsx';
import { recordTrail } from '../../meta/doctype-trail.ts';
import { Page } from '../../widgets/page.tsx';
import { RecordRail } from './beside/rail.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { RecordTable } from './print-format/record-table.tsx';
import { RecordActions } from './record-actions.tsx';
import { RecordMarks } from './record-marks.tsx';
import { RecordNotices } from './record-notices.tsx';

// Loaded lazily, because the fields come first.
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
  const { stored } = useStore(model.state);
  const { meta } = model.bundle;
  const goTo = useFieldInAddress();
  useChanges(stored ? [meta.name] : [], (change) => {
    if (change?.name === model.name) void model.notice(change);
  });
  const title = useTitle(model);
  const trail = useMemo(() => (meta.issingle ? [] : recordTrail(meta.name)), [meta]);
  return (
    <Page
      isSticky
      title={title}
      trail={trail}
      beside={<RecordMarks model={model} title={title} />}
      actions={<RecordActions model={model} onStored={onStored} />}
    >
      <LinkDialogs Table={ChildGrid}>
        <RecordForm
          model={model}
          Table={RecordTable}
          goTo={goTo}
          rail={
            stored && (
              <RecordRail
                bundle={model.bundle}
                doc={stored}
                canWrite={model.rights.has('write')}
                rights={model.rights}
                refresh={() => model.refresh()}
              />
            )
          }
          activity={
            stored && (
              <Suspense fallback={null}>
                <RecordActivity bundle={model.bundle} doc={stored} />
              </Suspense>
            )
          }
          above={<RecordNotices model={model} />}
        />
      </LinkDialogs>
      <LeaveGuard model={model} />
    </Page>
  );
}

function useTitle({ state, bundle: { meta } }: RecordModel): string {
  const { stored } = useStore(state);
  if (!stored) return t('New {doctype}', { doctype: t(meta.name) });
  const held = stored[meta.title_field];
  return typeof held === 'string' && held !== '' ? held : stored.name;
}

/** The field to focus, from `#field=items[3].qty` in the address. */
function useFieldInAddress(): string | null {
  const [field] = useState(() => new URLSearchParams(location.hash.slice(1)).get('field'));
  return field;
}
