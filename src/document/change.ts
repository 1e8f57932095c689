import type { DocType, Document } from '../doctype/doctype.ts';

export type Action = 'create' | 'update' | 'submit' | 'cancel' | 'update_after_submit' | 'delete' | 'rename';

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
}
