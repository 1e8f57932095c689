import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo, useRouteParams, useSearch } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useUser } from '../../data/boot.ts';
import { newRecord, useRecord } from '../../form/load-record.ts';
import { recordTrail } from '../../meta/doctype-trail.ts';
import { ScreenProblem } from '../../widgets/screen-problem.tsx';
import { Pending } from './pending.tsx';
import { RecordView } from './record-view.tsx';

/** The form of a new document. The address can contain initial values or the document to copy. */
export function Screen() {
  const { doctype = '' } = useRouteParams();
  const user = useUser();
  const go = useGo();
  const search = useSearch((found) => JSON.stringify(found));
  // Read once: later changes of the address must not overwrite edits.
  const [began] = useState(search);
  const { _copy: copy, ...values } = JSON.parse(began) as Record<string, unknown>;
  const { model, error, retry } = useRecord(`${doctype}\n${began}`, (signal) =>
    newRecord(
      {
        doctype,
        user,
        values,
        copyOf: typeof copy === 'string' || typeof copy === 'number' ? String(copy) : null,
      },
      signal,
    ),
  );
  const [isStored, setStored] = useState(false);
  const title = t('New {doctype}', { doctype: t(doctype) });
  if (error)
    return <ScreenProblem error={error} onRetry={retry} title={title} trail={recordTrail(doctype)} />;
  // The document is saved and its own screen is loading. Input into this form would be lost.
  if (!model || isStored) return <Pending title={title} doctype={doctype} />;
  const show = () => {
    // Runs after the render in which nothing is dirty. Otherwise the leave guard would ask.
    if (model.name === null) return;
    setStored(true);
    setTimeout(() => go(paths.record(doctype, model.name ?? ''), { isReplacing: true }));
  };
  return <RecordView model={model} onStored={show} />;
}
