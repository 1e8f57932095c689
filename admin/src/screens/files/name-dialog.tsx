import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
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
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const wanted = name.trim();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (wanted === '' || isBusy) return;
    if (wanted === initial) return onClose();
    setBusy(true);
    setError(null);
    try {
      await run(wanted);
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Modal isOpen onClose={onClose} title={title} isSticky={isBusy}>
      <form onSubmit={save}>
        <Stack>
          <TextInput
            label={label}
            value={name}
            onChange={setName}
            maxLength={140}
            autoComplete="off"
            dir="auto"
            data-autofocus
            onFocus={(event) => selectStem(event.currentTarget)}
          />
          {error !== null && <ErrorPanel error={error} />}
          <Row isApart>
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button kind="primary" type="submit" isBusy={isBusy} disabled={wanted === ''}>
              {action}
            </Button>
          </Row>
        </Stack>
      </form>
    </Modal>
  );
}

// What people change is the name, seldom what follows its last dot.
function selectStem(input: HTMLInputElement): void {
  const dot = input.value.lastIndexOf('.');
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length);
}
