import { t } from '../../base/i18n.ts';
import { useRouteParams } from '../../base/navigation.tsx';
import { openRecord, useRecord } from '../../form/load-record.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Page } from '../../widgets/page.tsx';
import { Pending } from './pending.tsx';
import { RecordView } from './record-view.tsx';
import { useNeighbours } from './use-neighbours.ts';

/** The form of a stored document. */
export function Screen() {
  const { doctype = '', name = '' } = useRouteParams();
  useNeighbours(doctype, name);
  const { model, error, retry } = useRecord(`${doctype}\n${name}`, (signal) =>
    openRecord(doctype, name, signal),
  );
  if (error)
    return (
      <Page title={name} trail={[{ label: t(doctype) }]}>
        <ErrorPanel error={error} onRetry={retry} />
      </Page>
    );
  if (!model) return <Pending title={name} doctype={doctype} />;
  return <RecordView key={`${doctype}\n${name}`} model={model} onStored={() => undefined} />;
}
