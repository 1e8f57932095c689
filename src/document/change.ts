import type { ChildRow, DocField, DocType, Document } from '../doctype/doctype.ts';
import type { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
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

/** A change on its way through the write pipeline: each step takes this one value. */
export interface Change {
  readonly action: Action;
  readonly doctype: DocType;
  /** As stored before the change; null for a creation. */
  readonly before: Document | null;
  /** As it will be stored. Steps and hooks mutate it, in the order the verb's file shows. */
  readonly doc: Document;
  /** Revision stored before the change; 0 for a creation. */
  readonly revision: number;
  /**
   * The body sent by the client, before any check; {} for a delete. For controllers that need more than the
   * fields hold.
   */
  readonly input: Fields;
  /** True when a creation starts from the values of another document, which count as given. */
  readonly isCopy?: boolean;
  /**
   * Password fields that got another value, set once rows are written; those of child rows with their
   * doctype, `Child.pin`. A controller that keeps secrets adds their field.
   */
  secrets?: readonly string[];
  /** Sent values that their fields cannot hold; `checkValues` reports them after more important errors. */
  readonly problems: Problem[];
}

/** A value that its field cannot hold. The document has the empty value in its place. */
export interface Problem {
  /** The document itself or one of its rows. */
  readonly holder: Document | ChildRow;
  readonly fieldname: string;
  readonly error: ServiceError;
  /** The client sent the value, so the error may repeat it. */
  readonly isSent: boolean;
}

/**
 * The child tables that the change leaves as they are stored: both documents share their rows, which no step may
 * change.
 */
export function untouchedTables({ doctype, doc, before }: Change): ReadonlySet<string> {
  if (before === null || doctype.tables.length === 0) return NONE;
  const same = doctype.tables.filter(({ fieldname }) => doc[fieldname] === before[fieldname]);
  return new Set(same.map(({ fieldname }) => fieldname));
}

const NONE: ReadonlySet<string> = new Set();

/** The other child tables. */
export function touchedTables(change: Change): readonly DocField[] {
  const untouched = untouchedTables(change);
  if (untouched.size === 0) return change.doctype.tables;
  return change.doctype.tables.filter(({ fieldname }) => !untouched.has(fieldname));
}

/** Stores a problem for `checkValues`, up to the number that a reply names. */
export function noteProblem(change: Change, problem: Problem): void {
  if (change.problems.length < LIMITS.problemsNamed) change.problems.push(problem);
}
