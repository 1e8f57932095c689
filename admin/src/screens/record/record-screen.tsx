import { useEffect } from 'react';
import { useGo, useRouteParams } from '../../base/navigation.tsx';
import { ownScreen, paths } from '../../base/paths.ts';
import { isApiError } from '../../data/api-error.ts';
import { openRecord, useRecord } from '../../form/load-record.ts';
import { recordTrail } from '../../meta/doctype-trail.ts';
import { may } from '../../meta/permissions.ts';
import { ScreenProblem } from '../../widgets/screen-problem.tsx';
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
  // In other programs, this is the address of a new record.
  if (name === 'new' && isApiError(error) && error.status === 404)
    return <ToOwnScreen path={paths.newRecord(doctype)} />;
  if (error) {
    const trail = may(doctype, 'read') ? recordTrail(doctype) : [];
    return <ScreenProblem error={error} onRetry={retry} title={name} trail={trail} />;
  }
  if (!model) return <Pending title={name} doctype={doctype} />;
  return <RecordView key={`${doctype}\n${name}`} model={model} onStored={() => undefined} />;
}
