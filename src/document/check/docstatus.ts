import type { DocType } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Action } from '../change.ts';

/** The effect of a save on a document, by its stored docstatus and the one that was sent. */
export interface Transition {
  readonly action: Action;
  readonly docstatus: number;
}

/**
 * The docstatus of a new document: 1 means "insert, then submit".
 * @throws ServiceError DocstatusTransitionError, ValidationError when the doctype is not submittable
 */
export function initialDocstatus(doctype: DocType, fields: Fields): number {
  const docstatus = sentDocstatus(fields) ?? 0;
  if (docstatus === 2) throw refused(0, 2);
  if (docstatus === 1) requireSubmittable(doctype);
  return docstatus;
}

/**
 * Draft → submitted → cancelled, one step at a time and never back.
 * @throws ServiceError DocstatusTransitionError, ValidationError for a cancelled document
 */
export function nextTransition(doctype: DocType, stored: number, fields: Fields): Transition {
  const docstatus = sentDocstatus(fields) ?? stored;
  if (stored === 2) throw new ServiceError('ValidationError', 'Cannot edit cancelled document');
  if (docstatus !== 0) requireSubmittable(doctype);
  if (stored === 0 && docstatus === 0) return { action: 'update', docstatus };
  if (stored === 0 && docstatus === 1) return { action: 'submit', docstatus };
  if (stored === 1 && docstatus === 1) return { action: 'update_after_submit', docstatus };
  if (stored === 1 && docstatus === 2) return { action: 'cancel', docstatus };
  throw refused(stored, docstatus);
}

function sentDocstatus(fields: Fields): number | null {
  const sent = Object.hasOwn(fields, 'docstatus') ? fields['docstatus'] : null;
  switch (sent) {
    case null:
    case undefined:
    case '':
      return null;
    case 0:
    case '0':
      return 0;
    case 1:
    case '1':
      return 1;
    case 2:
    case '2':
      return 2;
    default:
      throw new ServiceError('DocstatusTransitionError', 'docstatus must be 0, 1 or 2');
  }
}

function requireSubmittable(doctype: DocType): void {
  if (!doctype.is_submittable) {
    throw new ServiceError('ValidationError', `${doctype.name} is not submittable`);
  }
}

function refused(from: number, to: number): ServiceError {
  return new ServiceError('DocstatusTransitionError', `Cannot change docstatus from ${from} to ${to}`);
}
