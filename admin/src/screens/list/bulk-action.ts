import { t, tn } from '../../base/i18n.ts';
import type { BulkChange } from '../../grid/list-bulk.ts';

/** Bulk actions on selected rows. */
export type BulkAction = 'edit' | 'submit' | 'cancel' | 'delete';

/** Dialog texts of an action. */
export interface ActionTexts {
  readonly title: string;
  /** Contains the exact number of records. */
  readonly question: (count: number) => string;
  readonly verb: string;
  readonly isDanger: boolean;
}

/** The dialog texts of an action. */
export function textsOf(action: BulkAction): ActionTexts {
  switch (action) {
    case 'edit':
      return {
        title: t('Edit field'),
        question: (count) =>
          tn(count, 'Updates one field of {count} record.', 'Updates one field of {count} records.'),
        verb: t('Update records'),
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
        verb: t('Cancel records'),
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

/** The change that the server makes to each document. */
export function changeOf(action: BulkAction, fields: Readonly<Record<string, unknown>>): BulkChange {
  if (action === 'delete') return { kind: 'delete' };
  if (action === 'submit') return { kind: 'set', fields: { docstatus: 1 } };
  return { kind: 'set', fields: action === 'cancel' ? { docstatus: 2 } : fields };
}
