import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import type { Saving } from './use-saving.ts';

/** Somebody else has changed the doctype meanwhile. */
export function ConflictDialog({ saving }: { readonly saving: Saving }) {
  const { conflict, settle } = saving;
  if (!conflict) return null;
  return (
    <Modal
      isOpen
      isForced
      onClose={() => {}}
      title={t('{doctype} has changed', { doctype: t(conflict.name) })}
    >
      <Stack>
        <p>
          {t(
            'Somebody else saved this doctype while you worked on it. Nothing of yours is lost: you can make your changes again on top of theirs, look at the result, and save.',
          )}
        </p>
        <Row isApart>
          <Button onClick={() => settle(false)}>{t('Discard my changes')}</Button>
          <Button kind="primary" data-autofocus onClick={() => settle(true)}>
            {t('Keep my changes')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
