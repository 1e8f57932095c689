import { usePart } from '../../base/use-part.ts';
import { NOTHING } from '../../grid/list-selection.ts';
import type { RecordListState } from './use-record-list.ts';

const loadBulk = async () => (await import('./bulk-dialog.tsx')).BulkDialog;
const loadExport = async () => (await import('./export/export-dialog.tsx')).ExportDialog;

/** The open dialog of a list, loaded when it is first needed. */
export function ListDialogs({ list }: { readonly list: RecordListState }) {
  const { meta, state, selection, setSelection, action, isExporting, refresh } = list;
  const { query } = state;
  const BulkDialog = usePart(action !== null, loadBulk);
  const ExportDialog = usePart(isExporting, loadExport);
  return (
    <>
      {BulkDialog && action && (
        <BulkDialog
          {...{ action, meta, query, selection }}
          onClose={() => list.setAction(null)}
          onChanged={(names) => {
            setSelection(NOTHING);
            void refresh(names);
          }}
        />
      )}
      {ExportDialog && isExporting && <ExportDialog list={list} onClose={() => list.setExporting(false)} />}
    </>
  );
}
