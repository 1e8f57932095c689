import { t } from '../../base/i18n.ts';
import type { RecordModel } from '../../form/record.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import css from './record.module.css';

interface JsonDialogProps {
  readonly model: RecordModel;
  readonly onClose: () => void;
}

/** The document as the API returns it. */
export function JsonDialog({ model, onClose }: JsonDialogProps) {
  const text = JSON.stringify(model.state.get().stored, null, 2);
  return (
    <Modal isOpen onClose={onClose} width={760} title={t('As it is stored')}>
      <Stack gap={2}>
        <Row>
          <CopyButton text={text}>{t('Copy')}</CopyButton>
        </Row>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be scrollable by
            keyboard */}
        <pre className={css['json']} dir="ltr" tabIndex={0}>
          {text}
        </pre>
      </Stack>
    </Modal>
  );
}
