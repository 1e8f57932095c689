import { t } from '../../base/i18n.ts';
import type { ListQuery } from '../../data/documents.ts';
import type { BulkChange } from '../../grid/list-bulk.ts';
import type { Selection } from '../../grid/list-selection.ts';
import type { Meta } from '../../meta/meta.ts';
import { countOf, pluralOf } from '../../meta/nouns.ts';

/** Bulk actions on selected rows. */
export type BulkAction = 'edit' | 'submit' | 'cancel' | 'delete';

/** What a bulk action is about. */
export interface BulkDialogProps {
  readonly action: BulkAction;
  readonly meta: Meta;
  readonly query: ListQuery;
  readonly selection: Selection;
  readonly onClose: () => void;
  /** Called with the names of all processed records, failures included. */
  readonly onChanged: (names: readonly string[]) => void;
}

/** Dialog texts of an action, about an exact number of records. */
export interface ActionTexts {
  /** Before the number is known. */
  readonly title: string;
  readonly titleOf: (count: number) => string;
  readonly verbOf: (count: number) => string;
  readonly doneOf: (count: number) => string;
  /** The consequence. */
  readonly warning: string | null;
  readonly isDanger: boolean;
}

/** The dialog texts of an action. */
export function textsOf(action: BulkAction, doctype: string): ActionTexts {
  const all = { records: pluralOf(doctype) };
  const some = (count: number) => ({ records: countOf(doctype, count) });
  switch (action) {
    case 'edit':
      return {
        title: t('Edit {records}', all),
        titleOf: (count) => t('Edit {records}', some(count)),
        verbOf: (count) => t('Update {records}', some(count)),
        doneOf: (count) => t('{records} updated', some(count)),
        warning: null,
        isDanger: false,
      };
    case 'submit':
      return {
        title: t('Submit {records}', all),
        titleOf: (count) => t('Submit {records}', some(count)),
        verbOf: (count) => t('Submit {records}', some(count)),
        doneOf: (count) => t('{records} submitted', some(count)),
        warning: t('Submitted records are locked. Cancel one to change it.'),
        isDanger: false,
      };
    case 'cancel':
      return {
        title: t('Cancel {records}', all),
        titleOf: (count) => t('Cancel {records}', some(count)),
        verbOf: (count) => t('Cancel {records}', some(count)),
        doneOf: (count) => t('{records} cancelled', some(count)),
        warning: t('Cancelled records cannot be submitted again. Amend one to correct it.'),
        isDanger: true,
      };
    case 'delete':
      return {
        title: t('Delete {records}', all),
        titleOf: (count) => t('Delete {records}', some(count)),
        verbOf: (count) => t('Delete {records}', some(count)),
        doneOf: (count) => t('{records} deleted', some(count)),
        warning: t('Records that cannot be deleted are listed afterwards.'),
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
