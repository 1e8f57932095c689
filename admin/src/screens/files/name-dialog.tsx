import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useTask } from '../../base/use-task.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';

interface NameDialogProps {
  readonly title: string;
  readonly label: string;
  readonly action: string;
  readonly initial: string;
  readonly onClose: () => void;
  readonly run: (name: string) => Promise<unknown>;
}

/** Asks for a name. */
export function NameDialog({ title, label, action, initial, onClose, run }: NameDialogProps) {
  const [name, setName] = useState(initial);
  const task = useTask();
  const wanted = name.trim();
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (wanted === '') return;
    if (wanted === initial) return onClose();
    void task.run(async () => {
      await run(wanted);
      onClose();
    });
  };
  return (
    <Modal isOpen onClose={onClose} title={title} isSticky={task.isBusy}>
      <form onSubmit={save}>
        <Stack>
          <TextInput
            label={label}
            value={name}
            onChange={setName}
            maxLength={140}
            autoComplete="off"
            data-autofocus
            onFocus={(event) => selectStem(event.currentTarget)}
          />
          {task.error !== null && <ErrorPanel error={task.error} refused={t('Couldn’t save')} />}
          <Row isApart>
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button kind="primary" type="submit" isBusy={task.isBusy} disabled={wanted === ''}>
              {action}
            </Button>
          </Row>
        </Stack>
      </form>
    </Modal>
  );
}

// Users rename the stem, rarely the extension.
function selectStem(input: HTMLInputElement): void {
  const dot = input.value.lastIndexOf('.');
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length);
}
