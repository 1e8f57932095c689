import { useQuery } from '@tanstack/react-query';
import { t } from '../../base/i18n.ts';
import { isWaiting, LOG, readBody, readDelivery } from '../../data/deliveries.ts';
import { keys } from '../../data/keys.ts';
import { Drawer } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Stack } from '../../widgets/layout.tsx';
import { AttemptList } from './attempt-list.tsx';
import css from './deliveries.module.css';
import { DeliveryActions } from './delivery-actions.tsx';
import { DeliveryFacts } from './delivery-facts.tsx';
import { DeliveryBadges } from './delivery-state.tsx';
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
      <DeliveryBadges delivery={data} />
      <DeliveryActions delivery={data} body={body.data?.bytes} onOpen={onOpen} />
      <DeliveryFacts delivery={data} onOpen={onOpen} />
      <section className={css['section']} aria-label={t('Attempts')}>
        <h3>{t('Attempts')}</h3>
        <AttemptList delivery={data} />
      </section>
      <RequestPart delivery={data} body={body.data} error={body.error} />
      {body.data && <SignatureCheck delivery={data} bytes={body.data.bytes} />}
    </Stack>
  );
}
