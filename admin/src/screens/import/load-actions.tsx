import { useState } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { useTask } from '../../base/use-task.ts';
import { callMethod } from '../../data/api.ts';
import { useUser } from '../../data/boot.ts';
import { queryClient } from '../../data/query-client.ts';
import { countOf } from '../../meta/nouns.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Toolbar } from '../../widgets/layout.tsx';
import { isBusy, type Load, loadQuery } from './load-data.ts';

type Verb = 'run' | 'check' | 'pause' | 'undo';

async function control({ name }: Load, verb: Verb): Promise<void> {
  await callMethod(`chancery.load.${verb}`, { name });
  await queryClient.invalidateQueries({ queryKey: loadQuery(name).queryKey });
}

interface LoadActionsProps {
  readonly load: Load;
  readonly onChange: () => void;
  /** Called after an action, whose button may be gone. */
  readonly onDone: () => void;
}

/** What can be done with a load as it is. */
export function LoadActions({ load, onChange, onDone }: LoadActionsProps) {
  const { doctype, kind, status, counts, file, options } = load;
  const { isSystemManager } = useUser();
  const [isAsking, setAsking] = useState(false);
  const { isBusy: isCalling, error, run } = useTask();
  const call = (verb: Verb) =>
    void run(async () => {
      await control(load, verb);
      onDone();
    });
  const isOfFile = file !== '';
  if (kind === 'Load' && !isSystemManager) return null;
  const mayImport = kind === 'Load' || may(doctype, 'import');
  const toStore = options['onError'] === 'none' && counts.failed > 0 ? 0 : counts.inserted + counts.updated;
  const records =
    doctype === '' ? tn(toStore, '{count} record', '{count} records') : countOf(doctype, toStore);
  return (
    <>
      {error !== null && <ErrorPanel error={error} />}
      <Toolbar label={t('Actions of the import')}>
        {isOfFile && mayImport && status === 'Checked' && toStore > 0 && (
          <Button kind="primary" icon="play" isBusy={isCalling} onClick={() => call('run')}>
            {t('Import {records}', { records })}
          </Button>
        )}
        {isOfFile && mayImport && status === 'Draft' && (
          <>
            <Button kind="primary" icon="check" isBusy={isCalling} onClick={() => call('check')}>
              {t('Check the file')}
            </Button>
            <Button disabled={isCalling} onClick={() => call('run')}>
              {t('Import without a check')}
            </Button>
          </>
        )}
        {status === 'Checking' && (
          <Button icon="close" isBusy={isCalling} onClick={() => call('pause')}>
            {t('Stop the check')}
          </Button>
        )}
        {status === 'Running' && (
          <Button icon="pause" isBusy={isCalling} onClick={() => call('pause')}>
            {t('Pause')}
          </Button>
        )}
        {isOfFile && mayImport && (status === 'Paused' || status === 'Failed') && (
          <Button kind="primary" icon="play" isBusy={isCalling} onClick={() => call('run')}>
            {status === 'Paused' ? t('Resume') : t('Try again')}
          </Button>
        )}
        {(status === 'Done' || status === 'Paused' || status === 'Failed') && (
          <Button icon="undo" onClick={() => setAsking(true)}>
            {t('Undo the import…')}
          </Button>
        )}
        {kind === 'Import' && isOfFile && mayImport && !isBusy(load) && (
          <Button icon="edit" onClick={onChange}>
            {t('Change the choices')}
          </Button>
        )}
      </Toolbar>
      {!isOfFile && (status === 'Paused' || status === 'Failed') && (
        <span>
          {t(
            'It reads a file of the command line. Run the command again to go on, or {command} to undo it.',
            {
              command: `chancery import undo ${load.name}`,
            },
          )}
        </span>
      )}
      {isAsking && <UndoDialog load={load} onClose={() => setAsking(false)} />}
    </>
  );
}

function UndoDialog({ load, onClose }: { readonly load: Load; readonly onClose: () => void }) {
  const { counts } = load;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={t('Undo the import?')}
      action={t('Undo')}
      isDanger
      run={() => control(load, 'undo')}
    >
      <p>
        {tn(
          counts.inserted,
          '{count} record that it created is deleted.',
          '{count} records that it created are deleted.',
        )}{' '}
        {tn(
          counts.updated,
          '{count} record gets its former values.',
          '{count} records get their former values.',
        )}
      </p>
      <p>{t('Records that have changed since, or that others link to, stay as they are and are listed.')}</p>
    </ConfirmDialog>
  );
}
