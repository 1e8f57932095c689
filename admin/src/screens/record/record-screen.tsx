import { useEffect } from 'react';
import { useGo, useRouteParams } from '../../base/navigation.tsx';
import { ownScreen, paths } from '../../base/paths.ts';
import { isApiError } from '../../data/api-error.ts';
import { openRecord, useRecord } from '../../form/load-record.ts';
import { recordTrail } from '../../meta/doctype-trail.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Page } from '../../widgets/page.tsx';
import { Missing } from './missing.tsx';
import { Pending } from './pending.tsx';
import { RecordView } from './record-view.tsx';
import { useNeighbours } from './use-neighbours.ts';

interface RecordName {
  readonly doctype: string;
  readonly name: string;
}

/** The form of a stored document. Typed addresses of records with a screen of their own lead there. */
export function Screen() {
  const { doctype = '', name = '' } = useRouteParams();
  const own = ownScreen(doctype, name);
  return own === undefined ? <Stored {...{ doctype, name }} /> : <ToOwnScreen path={own} />;
}

function ToOwnScreen({ path }: { readonly path: string }) {
  const go = useGo();
  useEffect(() => go(path, { isReplacing: true }), [path, go]);
  return null;
}

function Stored({ doctype, name }: RecordName) {
  useNeighbours(doctype, name);
  const { model, error, retry } = useRecord(`${doctype}\n${name}`, (signal) =>
    openRecord(doctype, name, signal),
  );
  if (isApiError(error) && error.status === 404) {
    // In other programs, this is the address of a new record.
    if (name === 'new') return <ToOwnScreen path={paths.newRecord(doctype)} />;
    return <Missing {...{ doctype, name }} />;
  }
  if (error)
    return (
      <Page title={name} trail={recordTrail(doctype)}>
        <ErrorPanel error={error} onRetry={retry} />
      </Page>
    );
  if (!model) return <Pending title={name} doctype={doctype} />;
  return <RecordView key={`${doctype}\n${name}`} model={model} onStored={() => undefined} />;
}
