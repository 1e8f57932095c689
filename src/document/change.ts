import type { ChildRow, DocType, Document } from '../doctype/doctype.ts';
import type { ServiceError } from '../kernel/errors.ts';
import type { Fields } from '../kernel/value.ts';

export type Action =
  | 'create'
  | 'update'
  | 'submit'
  | 'cancel'
  | 'update_after_submit'
  | 'delete'
  | 'rename'
  | 'merge';

/** A change on its way through the write pipeline: the one value every step takes. */
export interface Change {
  readonly action: Action;
  readonly doctype: DocType;
  /** As stored before the change; null for a creation. */
  readonly before: Document | null;
  /** As it will be stored. Steps and hooks mutate it, in the order the verb's file shows. */
  readonly doc: Document;
  /** Revision stored before the change; 0 for a creation. */
  readonly revision: number;
  /** What the client sent, before any check; {} for a delete. For controllers that take more than the fields have room for. */
  readonly input: Fields;
  /** True when a creation starts with the values of another document: what that holds was given once. */
  readonly isCopy?: boolean;
  /** Password fields that got another value, once rows are written; of child rows with their doctype, `Child.pin`. */
  secrets?: readonly string[];
  /** Values sent that their fields cannot hold; `checkValues` reports them after more important errors had their turn. */
  readonly problems: Problem[];
}

/** One value that its field cannot hold. The document holds the empty value in its place. */
export interface Problem {
  /** The document itself or one of its rows. */
  readonly holder: Document | ChildRow;
  readonly fieldname: string;
  readonly error: ServiceError;
  /** The client sent the value, so that the error may repeat it. */
  readonly isSent: boolean;
}
