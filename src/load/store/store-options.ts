import type { Provenance } from '../../access/audit.ts';
import type { CurrentUser } from '../../access/user.ts';
import type { Site } from '../../document/contract.ts';
import type { LoadMode } from '../data-load.ts';

/** How the loading operation stores records. */
export interface StoreOptions {
  readonly site: Site;
  /** A System Manager. */
  readonly user: CurrentUser;
  readonly origin: Provenance;
  readonly mode: LoadMode;
  /** With mode `Insert`: a document that exists is no error, and stays as it is. */
  readonly skipExisting?: boolean;
  /** A document that was changed or deleted here since this load stored it is not stored again. */
  readonly keepChanged?: boolean;
  /** Announces each document to webhooks, the change feed and the history, as an import through the verbs does. */
  readonly events?: boolean;
  /** Administrator on the command line, who may load users, roles and keys. */
  readonly isCommandLine?: boolean;
  /** Undoes each batch once it is stored. */
  readonly isCheck?: boolean;
}
