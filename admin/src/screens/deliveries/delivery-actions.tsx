import { useQueryClient } from '@tanstack/react-query';
import { t } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { type DeliveryDetails, isWaiting, LOG } from '../../data/deliveries.ts';
import { keys } from '../../data/keys.ts';
import { cancelDelivery, resendDelivery } from '../../data/webhooks.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { Row } from '../../widgets/layout.tsx';
import { curlOf, headersOf } from './delivery-curl.ts';

/** Resends or cancels a delivery, or copies it as a command. */
export function DeliveryActions({
  delivery,
  body,
  onOpen,
}: {
  readonly delivery: DeliveryDetails;
  readonly body: Uint8Array | undefined;
  readonly onOpen: (name: string) => void;
}) {
  const client = useQueryClient();
  const task = useTask();
  const run = async (work: () => Promise<unknown>, done: string) => {
    await task.run(async () => {
      await work();
      toast('success', done);
    }, tellFailure);
    void client.invalidateQueries({ queryKey: keys.lists(LOG) });
    void client.invalidateQueries({ queryKey: keys.doc(LOG, delivery.name) });
  };
  const resend = () => run(async () => onOpen(await resendDelivery(delivery.name)), t('Delivery resent'));
  const cancel = () => run(() => cancelDelivery(delivery.name), t('Delivery cancelled'));
  const curl = () =>
    curlOf({
      method: delivery.request_method || 'POST',
      url: delivery.url,
      headers: { 'content-type': 'application/json', ...headersOf(delivery.headers) },
      body: new TextDecoder().decode(body),
    });
  return (
    <Row>
      {may('Webhook', 'write') && (
        <>
          <Button kind="primary" icon="send" isBusy={task.isBusy} onClick={resend}>
            {isWaiting(delivery) ? t('Try now') : t('Resend')}
          </Button>
          {isWaiting(delivery) && (
            <Button icon="close" disabled={task.isBusy} onClick={cancel}>
              {t('Do not send')}
            </Button>
          )}
        </>
      )}
      {body && <CopyButton text={curl}>{t('Copy as curl')}</CopyButton>}
    </Row>
  );
}
