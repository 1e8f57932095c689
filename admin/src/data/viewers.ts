import { callMethod } from './api.ts';

/** Another user who views a document. */
export interface Viewer {
  readonly name: string;
  readonly fullname: string;
}

/** The others who view a document: the named ones, and the number of all. */
export interface Viewers {
  readonly viewers: readonly Viewer[];
  readonly count: number;
}

/** The server forgets a viewer after 45 seconds. */
export const BEAT = 20_000;

// Nobody asked for these requests, so an ended session opens no dialog.
const QUIET = { isSignIn: true } as const;

/** Says that the user views a document. Resolves to the others. */
export function view(doctype: string, name: string): Promise<Viewers> {
  return callMethod<Viewers>('chancery.view_document', { doctype, name }, QUIET);
}

/** Says that the user views it no longer. The entry expires if this fails. */
export function leave(doctype: string, name: string): void {
  callMethod('chancery.leave_document', { doctype, name }, { ...QUIET, keepalive: true }).catch(
    () => undefined,
  );
}
