import { t } from '../../base/i18n.ts';
import { useLeaveGuard } from '../../base/navigation.tsx';
import { useDirty } from '../../form/form-context.ts';
import type { RecordModel } from '../../form/record.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';

/** Asks before a navigation that would lose unsaved changes. */
export function LeaveGuard({ model }: { readonly model: RecordModel }) {
  const isDirty = useDirty(model.store);
  const held = useLeaveGuard(isDirty);
  if (!held) return null;
  return (
    <Modal isOpen onClose={held.stay} title={t('Leave without saving?')}>
      <Stack>
        <p>{t('Your changes to this document are not saved.')}</p>
        <Row isApart>
          <Button onClick={held.stay} data-autofocus>
            {t('Stay')}
          </Button>
          <Button kind="danger" onClick={held.leave}>
            {t('Discard changes')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
