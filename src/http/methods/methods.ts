import { methodOperation, type Operation } from '../../operation/operation.ts';
import { OPERATIONS } from '../../operation/operations.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import type { MethodTable } from '../ask-method.ts';
import type { HttpCall } from '../http-call.ts';
import { keyLoginOperations } from '../sign-in/key-login.ts';
import { passwordOperations } from '../sign-in/password-methods.ts';
import { secondFactorOperations } from '../sign-in/second-factor-methods.ts';
import { sessionOperations } from '../sign-in/session-methods.ts';
import { bootOperations } from './boot-method.ts';

/** Every built-in operation that clients call by name; `upload_file` has a route of its own. */
export const BUILT_INS: readonly Operation<HttpCall>[] = [
  ...OPERATIONS,
  ...bootOperations,
  ...sessionOperations,
  ...keyLoginOperations,
  ...passwordOperations,
  ...secondFactorOperations,
];

/** Builds the table once, at the start. */
export function methodTable(site: OpenSite): MethodTable {
  const table = new Map(BUILT_INS.map((operation) => [operation.name, operation]));
  for (const [name, method] of site.methods) {
    if (table.has(name)) throw new Error(`method ${name} is built in; an app cannot define it`);
    table.set(name, methodOperation(name, method));
  }
  return table;
}
