import type { DocType, Document } from '../doctype/doctype.ts';

/** The doc events of the wire, in the order a webhook may name them. */
export const DOC_EVENTS = [
  'after_insert',
  'on_update',
  'on_submit',
  'on_cancel',
  'on_trash',
  'on_update_after_submit',
  'on_change',
  'after_rename',
] as const;

/**
 * `on_mark`: a tag, like, assignment or share of the document changed. It is no save: neither
 * hooks nor webhooks have it, and `before` differs from `doc` at most in the mark. `on_view`: somebody
 * begins or ends to view the document, which does not change.
 */
export type DocEventName = (typeof DOC_EVENTS)[number] | 'on_mark' | 'on_view';

/**
 * An event of a document in a transaction; commit listeners turn events into rows of the same transaction.
 */
export interface DocEvent {
  readonly name: DocEventName;
  readonly doctype: DocType;
  /** As committed (on_trash: before the deletion). Listeners must not mutate it. */
  readonly doc: Document;
  /** Before the change; null for a creation. */
  readonly before: Document | null;
  /** Password fields that got another value, which `doc` and `before` do not show: see `Change.secrets`. */
  readonly secrets: readonly string[];
  /** The revision in the document's `ETag` after the change. */
  readonly revision: number;
}
