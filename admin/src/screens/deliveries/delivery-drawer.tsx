import { useQuery, useQueryClient } from '@tanstack/react-query';
import { formatDatetime, formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { type DeliveryDetails, LOG, readBody, readDelivery } from '../../data/deliveries.ts';
import { keys } from '../../data/keys.ts';
import { cancelDelivery, resendDelivery } from '../../data/webhooks.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Drawer } from '../../widgets/dialogs.tsx';
import { ErrorPanel, tellFailure } from '../../widgets/error-panel.tsx';
import { Badge, Skeleton } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { AttemptList } from './attempt-list.tsx';
import css from './deliveries.module.css';
import { curlOf, headersOf } from './delivery-curl.ts';
import { eventWord, isWaiting, STATUS_TONES, statusWord } from './delivery-words.ts';
import { RequestPart } from './request-part.tsx';
import { SignatureCheck } from './signature-check.tsx';

/** Milliseconds between refreshes of an unfinished delivery. */
const LOOK = 1_500;

/** Details of a delivery and its actions. */
export function DeliveryDrawer({
  name,
  onClose,
  onOpen,
}: {
  readonly name: string | null;
  readonly onClose: () => void;
  readonly onOpen: (name: string) => void;
}) {
  return (
    <Drawer isOpen={name !== null} onClose={onClose} title={t('Delivery')} width={720}>
      {name !== null && <Details key={name} name={name} onOpen={onOpen} />}
    </Drawer>
  );
}

function Details({ name, onOpen }: { readonly name: string; readonly onOpen: (name: string) => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: keys.doc(LOG, name),
    queryFn: ({ signal }) => readDelivery(name, signal),
    refetchInterval: ({ state }) => (state.data && isWaiting(state.data) ? LOOK : false),
    staleTime: 0,
  });
  const body = useQuery({
    queryKey: ['doc', LOG, name, 'body'],
    queryFn: ({ signal }) => readBody(name, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={240} />;
  return (
    <Stack>
      <Row>
        <Badge tone={STATUS_TONES[data.status]}>{statusWord(data.status)}</Badge>
        {data.is_test === 1 && <Badge>{t('Test')}</Badge>}
        {data.resend_of && <Badge>{t('Resent')}</Badge>}
      </Row>
      <Actions delivery={data} body={body.data?.bytes} onOpen={onOpen} />
      <Facts delivery={data} onOpen={onOpen} />
      <section className={css['section']} aria-label={t('Attempts')}>
        <h3>{t('Attempts')}</h3>
        <AttemptList delivery={data} />
      </section>
      <RequestPart delivery={data} body={body.data} error={body.error} />
      {body.data && <SignatureCheck delivery={data} bytes={body.data.bytes} />}
    </Stack>
  );
}

function Actions({
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

function Facts({
  delivery,
  onOpen,
}: {
  readonly delivery: DeliveryDetails;
  readonly onOpen: (name: string) => void;
}) {
  const { resend_of: former } = delivery;
  return (
    <dl className={css['facts']}>
      <dt>{t('Time')}</dt>
      <dd>{formatDatetime(delivery.creation, 'full')}</dd>
      <dt>{t('Webhook')}</dt>
      <dd>
        <PathLink to={paths.webhook(delivery.webhook)}>{delivery.webhook}</PathLink>
      </dd>
      <dt>{t('Document')}</dt>
      <dd>
        <PathLink to={paths.record(delivery.reference_doctype, delivery.reference_document)}>
          {delivery.reference_doctype} {delivery.reference_document}
        </PathLink>
      </dd>
      <dt>{t('Event')}</dt>
      <dd>
        {eventWord(delivery.event)} · {t('by {user}', { user: delivery.user })}
      </dd>
      <dt>webhook-id</dt>
      <dd>
        <code>{delivery.webhook_id}</code>
      </dd>
      <dt>{t('Number')}</dt>
      <dd>{formatNumber(delivery.sequence)}</dd>
      {former && (
        <>
          <dt>{t('Resend of')}</dt>
          <dd>
            <Button kind="quiet" onClick={() => onOpen(former)}>
              {former}
            </Button>
          </dd>
        </>
      )}
      {delivery.next_retry && (
        <>
          <dt>{t('Next retry')}</dt>
          <dd>{formatDatetime(delivery.next_retry, 'full')}</dd>
        </>
      )}
      {delivery.error && (
        <>
          <dt>{t('Error')}</dt>
          <dd className={css['error']}>{delivery.error}</dd>
        </>
      )}
    </dl>
  );
}
