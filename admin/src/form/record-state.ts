import type { Doc, Versioned } from '../data/documents.ts';
import type { Field } from '../meta/meta.ts';
import type { Conflict } from './conflict.ts';

/** The running action of a document. Its buttons are disabled until it ends. */
export type Busy = 'save' | 'submit' | 'cancel' | 'reload';

/** State of a document in its form. The store holds its values. */
export interface RecordState {
  /** The stored document; null for a new one. */
  readonly stored: Doc | null;
  readonly etag: string | null;
  readonly busy: Busy | null;
  /** The last error that belongs to no field. */
  readonly failure: unknown;
  readonly conflict: Conflict | null;
  /**
   * True if another user submitted or cancelled the document while there are unsaved changes here. They cannot be
   * merged.
   */
  readonly isOutdated: boolean;
  /** Fields that both users changed: the user chooses before the next save. Null if there are none. */
  readonly pending: Conflict | null;
  /** The last change by another user that this form took over. */
  readonly taken: Taken | null;
  /** Counts refused saves. The error summary takes the focus on each. */
  readonly refusals: number;
}

/** A change by another user. */
export interface Taken {
  readonly by: string;
  readonly fields: readonly Field[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The state of a document that was just opened; null: a new one. */
export function startState(stored: Versioned | null): RecordState {
  return {
    stored: stored?.doc ?? null,
    etag: stored?.etag ?? null,
    busy: null,
    failure: null,
    conflict: null,
    isOutdated: false,
    pending: null,
    taken: null,
    refusals: 0,
  };
}
