import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { announce } from '../../base/announce.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useTask } from '../../base/use-task.ts';
import { isWaiting, LOG, readDelivery } from '../../data/deliveries.ts';
import { keys } from '../../data/keys.ts';
import { testWebhook } from '../../data/webhooks.ts';
import { Button } from '../../widgets/button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Badge, Spinner } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { AttemptList } from '../deliveries/attempt-list.tsx';
import { STATUS_TONES, statusWord } from '../deliveries/delivery-words.ts';
import css from './webhooks.module.css';

const LOOK = 400;

/** Sends one test delivery of the stored webhook and shows the response. */
export function TestSend({
  webhook,
  document,
  isDirty,
}: {
  readonly webhook: string;
  readonly document: string;
  readonly isDirty: boolean;
}) {
  const [sent, setSent] = useState<string | null>(null);
  const { isBusy, error, run } = useTask();
  const send = () =>
    run(async () => {
      setSent(null);
      setSent(await testWebhook(webhook, document || undefined));
    });
  return (
    <div className={css['test']}>
      <Row>
        <Button icon="send" isBusy={isBusy} disabled={isDirty || document === ''} onClick={send}>
          {t('Send test')}
        </Button>
        <Muted isSmall>
          {isDirty ? t('Save first: the test uses the saved webhook.') : t('Sends one real request.')}
        </Muted>
      </Row>
      {error !== null && <ErrorPanel error={error} />}
      {sent !== null && <Result delivery={sent} />}
    </div>
  );
}

function Result({ delivery }: { readonly delivery: string }) {
  const { data, error } = useQuery({
    queryKey: keys.doc(LOG, delivery),
    queryFn: async ({ signal }) => {
      const found = await readDelivery(delivery, signal);
      if (!isWaiting(found)) announce(`${statusWord(found.status)} ${found.response_status || ''}`);
      return found;
    },
    refetchInterval: ({ state }) => (state.data && !isWaiting(state.data) ? false : LOOK),
    staleTime: 0,
  });
  const place = useRef<HTMLDivElement>(null);
  const isDone = data !== undefined && !isWaiting(data);
  // The panel scrolls by itself: its end may be out of sight.
  useEffect(() => {
    if (isDone) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isDone]);
  if (error) return <ErrorPanel error={error} />;
  if (!data || isWaiting(data)) return <Spinner label={t('Waiting for the response…')} />;
  return (
    <div ref={place}>
      <Stack gap={2}>
        <Row>
          <Badge tone={STATUS_TONES[data.status]}>
            {data.status === 'Delivered' ? t('Delivered') : t('Not delivered')}
          </Badge>
          <PathLink to={paths.deliveries({ delivery })}>{t('Open the delivery')}</PathLink>
        </Row>
        <AttemptList delivery={data} />
      </Stack>
    </div>
  );
}
