import { useState } from 'react';
import { formatDatetime } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { type NewSecret, rotateSecret, switchSecret } from '../../data/webhooks.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { SecretDialog } from '../../widgets/secret-dialog.tsx';
import { SecretLine } from '../../widgets/secret-line.tsx';
import { Select } from '../../widgets/select.tsx';

type Kind = 'rotate' | 'switch' | 'end';

/**
 * Replaces the secret with an overlap in which receivers can adopt the new one, and later ends the overlap.
 */
export function RotateDialog({
  webhook,
  onClose,
}: {
  readonly webhook: string;
  readonly onClose: () => void;
}) {
  const [hours, setHours] = useState('24');
  const task = useTask();
  const [kind, setKind] = useState<Kind | null>(null);
  const [made, setMade] = useState<NewSecret | null>(null);
  const run = (next: Kind, work: () => Promise<void>) =>
    task.run(async () => {
      setKind(next);
      await work();
    });
  const stateOf = (of: Kind) => ({ isBusy: task.isBusy && kind === of, disabled: task.isBusy });
  const rotate = () => run('rotate', async () => setMade(await rotateSecret(webhook, Number(hours))));
  const switchOver = (end: boolean) =>
    run(end ? 'end' : 'switch', async () => {
      await switchSecret(webhook, end);
      toast('success', end ? t('Only the new secret is valid now') : t('Only the new secret signs now'));
      onClose();
    });
  if (made)
    return (
      <SecretDialog title={t('Webhook secret')} onClose={onClose}>
        <SecretLine text={made.secret} />
        {made.old_secret_until && (
          <Muted>
            {t('The old secret stays valid until {time}. Give receivers the new one before then.', {
              time: formatDatetime(made.old_secret_until),
            })}
          </Muted>
        )}
      </SecretDialog>
    );
  return (
    <Modal isOpen onClose={onClose} title={t('Rotate secret')} width={520}>
      <Stack>
        <Select
          label={t('Keep the old secret for')}
          description={t('Both secrets sign until then, so receivers accept every delivery')}
          value={hours}
          onChange={(next) => setHours(next ?? '0')}
          choices={[
            { value: '0', label: t('Revoke now: it has leaked') },
            { value: '1', label: t('1 hour') },
            { value: '24', label: t('24 hours') },
            { value: '168', label: t('7 days') },
          ]}
        />
        {task.error !== null && <ErrorPanel error={task.error} />}
        <Row>
          <Button kind="primary" icon="key" {...stateOf('rotate')} onClick={rotate}>
            {t('Generate secret')}
          </Button>
        </Row>
        <Muted isSmall>{t('After all receivers have the new secret:')}</Muted>
        <Row>
          <Button {...stateOf('switch')} onClick={() => switchOver(false)}>
            {t('Sign with the new secret only')}
          </Button>
          <Button {...stateOf('end')} onClick={() => switchOver(true)}>
            {t('End the overlap')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
