import { useMemo, useState } from 'react';
import { t, tn } from '../../../base/i18n.ts';
import { useUser } from '../../../data/boot.ts';
import { isNothing } from '../../../grid/list-selection.ts';
import { countOf } from '../../../meta/nouns.ts';
import { Button } from '../../../widgets/button.tsx';
import { Modal } from '../../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { Progress, Spinner } from '../../../widgets/feedback.tsx';
import { Row, Stack } from '../../../widgets/layout.tsx';
import { ColumnChooser } from '../column-chooser.tsx';
import type { RecordListState } from '../use-record-list.ts';
import type { ExportOptions } from './export-bytes.ts';
import { exportColumns } from './export-columns.ts';
import css from './export-dialog.module.css';
import { ExportSettings, type ExportSetup } from './export-settings.tsx';
import { useExport } from './use-export.ts';

const FIRST: ExportSetup = {
  format: 'csv',
  isOfSelection: true,
  hasLabels: true,
  hasTitles: true,
  isNested: true,
  isGuarded: true,
};

/** Exports the list to a file: chosen columns of all matching records or of the selected ones. */
export function ExportDialog({
  list,
  onClose,
}: {
  readonly list: RecordListState;
  readonly onClose: () => void;
}) {
  const { doctype, bundle, state, selection } = list;
  const user = useUser();
  const all = useMemo(() => exportColumns(bundle, user), [bundle, user]);
  const [setup, setSetup] = useState(FIRST);
  const [chosen, setChosen] = useState(state.shown);
  const columns = chosen.flatMap((key) => all.find((one) => one.key === key) ?? []);
  const hasRows = columns.some(({ table }) => table !== null);
  const options: ExportOptions = { ...setup, columns };
  const isOfSelection = setup.isOfSelection && !isNothing(selection);
  const task = useExport(doctype, state.query, isOfSelection ? selection : null, options);
  const { count, done } = task;
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={count === null ? t('Export {doctype}', { doctype: t(doctype) }) : titleOf(doctype, count)}
      width={760}
      isSticky={done !== null}
    >
      <Stack gap={3}>
        <div className={css['parts']} inert={done !== null}>
          <ExportSettings {...{ list, setup, hasRows }} onChange={setSetup} />
          <fieldset className={css['part']}>
            <legend>{tn(columns.length, '{count} column', '{count} columns')}</legend>
            <ColumnChooser
              columns={all.map(({ key, label }) => ({ name: key, label }))}
              shown={chosen}
              onChange={(next) => setChosen(next ?? state.shown)}
            />
          </fieldset>
        </div>
        {done !== null && <Written done={done} count={count} />}
        {task.error !== null && <ErrorPanel error={task.error} />}
        {task.countError !== null && <ErrorPanel error={task.countError} onRetry={task.recount} />}
        <Row isApart>
          <Button onClick={done === null ? onClose : task.stop}>
            {done === null ? t('Cancel') : t('Stop')}
          </Button>
          <Button
            kind="primary"
            icon="download"
            isBusy={done !== null}
            disabled={count === null || count === 0 || columns.length === 0}
            onClick={() => task.start(onClose)}
          >
            {count === null ? <Spinner label={t('Counting…')} /> : titleOf(doctype, count)}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

function titleOf(doctype: string, count: number): string {
  return t('Export {records}', { records: countOf(doctype, count) });
}

function Written({ done, count }: { readonly done: number; readonly count: number | null }) {
  return (
    <>
      <Progress value={(100 * done) / Math.max(1, count ?? done)} label={t('Export')} />
      <span role="status">{tn(done, '{count} record written', '{count} records written')}</span>
    </>
  );
}
