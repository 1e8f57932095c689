import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { listRows } from '../../data/documents.ts';
import { useFreshness } from '../../data/events.ts';
import { keys } from '../../data/keys.ts';
import { readOverview } from '../../data/webhooks.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted, Row } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import type { Hook } from './hook.ts';
import { HookTable } from './hook-table.tsx';
import { NoWebhooks } from './no-webhooks.tsx';

const COLUMNS = ['name', 'webhook_doctype', 'webhook_docevent', 'request_url', 'enabled'];
/** Maximum rows shown. Users find the others by search. */
const MOST = 100;

/** All webhooks, with their figures of the last day. */
export function Screen() {
  const go = useGo();
  const { hooks, overview } = useHooks();
  const mayCreate = may('Webhook', 'create');
  useShortcut('webhooks', 'n', t('New webhook'), () => go(paths.newWebhook()), { isOn: mayCreate });
  return (
    <Page title={t('Webhooks')} actions={<HeadActions mayCreate={mayCreate} />}>
      {hooks.error ? (
        <ErrorPanel error={hooks.error} onRetry={() => void hooks.refetch()} />
      ) : !hooks.data ? (
        <Skeleton height={240} />
      ) : hooks.data.length === 0 ? (
        <NoWebhooks />
      ) : (
        <>
          {overview.error && <ErrorPanel error={overview.error} />}
          <Hooks
            hooks={hooks.data}
            figures={new Map((overview.data?.webhooks ?? []).map((one) => [one.webhook, one]))}
          />
        </>
      )}
    </Page>
  );
}

function useHooks() {
  useFreshness(['Webhook']);
  const hooks = useQuery({
    queryKey: keys.list('Webhook', { fields: COLUMNS }),
    queryFn: ({ signal }) =>
      listRows<Hook>(
        'Webhook',
        { fields: COLUMNS, order_by: 'name asc', limit_page_length: 1_000 },
        { signal },
      ),
  });
  const overview = useQuery({
    queryKey: ['method', 'chancery.webhook.overview', 24],
    queryFn: ({ signal }) => readOverview(24, signal),
    enabled: may('Webhook', 'read') && may('Webhook Request Log', 'read'),
    refetchInterval: 30_000,
  });
  return { hooks, overview };
}

function HeadActions({ mayCreate }: { readonly mayCreate: boolean }) {
  const go = useGo();
  return (
    <>
      {may('Webhook Request Log', 'read') && (
        <Button icon="send" onClick={() => go(paths.deliveries())}>
          {t('All deliveries')}
        </Button>
      )}
      {mayCreate && (
        <Button kind="primary" icon="plus" onClick={() => go(paths.newWebhook())}>
          {t('New webhook')}
        </Button>
      )}
    </>
  );
}

function Hooks({ hooks, figures }: Parameters<typeof HookTable>[0]) {
  const [typed, setTyped] = useState('');
  const text = typed.trim().toLowerCase();
  const found = hooks.filter((hook) =>
    [hook.name, hook.webhook_doctype, hook.request_url].some((one) => one?.toLowerCase().includes(text)),
  );
  return (
    <>
      <Row isApart>
        <TextInput
          type="search"
          aria-label={t('Find a webhook')}
          placeholder={t('Find a webhook…')}
          start={<Icon name="search" />}
          value={typed}
          onChange={setTyped}
        />
        <Muted isSmall>
          {found.length > MOST
            ? t('{shown} of {total}: type to search', {
                shown: formatNumber(MOST),
                total: formatNumber(found.length),
              })
            : ''}
        </Muted>
      </Row>
      <HookTable hooks={found.slice(0, MOST)} figures={figures} />
    </>
  );
}
