import { t, tn } from '../../base/i18n.ts';
import type { BulkChange } from '../../grid/list-bulk.ts';

/** What can be done with the chosen rows. */
export type BulkAction = 'edit' | 'submit' | 'cancel' | 'delete';

/** What a dialog says about an action. */
export interface ActionTexts {
  readonly title: string;
  /** With the exact number of what it happens to. */
  readonly question: (count: number) => string;
  readonly verb: string;
  readonly isDanger: boolean;
}

/** The words of an action. */
export function textsOf(action: BulkAction): ActionTexts {
  switch (action) {
    case 'edit':
      return {
        title: t('Edit a field'),
        question: (count) =>
          tn(count, 'The field of {count} record will be set.', 'The field of {count} records will be set.'),
        verb: t('Set the field'),
        isDanger: false,
      };
    case 'submit':
      return {
        title: t('Submit records'),
        question: (count) =>
          tn(count, '{count} record will be submitted.', '{count} records will be submitted.'),
        verb: t('Submit'),
        isDanger: false,
      };
    case 'cancel':
      return {
        title: t('Cancel records'),
        question: (count) =>
          tn(count, '{count} record will be cancelled.', '{count} records will be cancelled.'),
        verb: t('Cancel the records'),
        isDanger: true,
      };
    case 'delete':
      return {
        title: t('Delete records'),
        question: (count) => tn(count, '{count} record will be deleted.', '{count} records will be deleted.'),
        verb: t('Delete'),
        isDanger: true,
      };
  }
}

/** What the server is asked to do to each document. */
export function changeOf(action: BulkAction, fields: Readonly<Record<string, unknown>>): BulkChange {
  if (action === 'delete') return { kind: 'delete' };
  if (action === 'submit') return { kind: 'set', fields: { docstatus: 1 } };
  return { kind: 'set', fields: action === 'cancel' ? { docstatus: 2 } : fields };
}
