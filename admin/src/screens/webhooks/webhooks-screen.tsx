import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber, formatRelative } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink, useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { siteSlots } from '../../charts/delivery-charts.tsx';
import { alongSlots } from '../../charts/spans.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { listRows, updateDocument } from '../../data/documents.ts';
import { useFreshness } from '../../data/events.ts';
import { keys } from '../../data/keys.ts';
import { readOverview, type WebhookOverview } from '../../data/webhooks.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { Switch } from '../../widgets/checks.tsx';
import { ErrorPanel, tellFailure } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Hidden, Muted, Row, Truncate } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { Table } from '../../widgets/table.tsx';
import { eventWord } from '../deliveries/delivery-words.ts';
import { millisText, successText } from './figure-tiles.tsx';
import { NoWebhooks } from './no-webhooks.tsx';
import css from './webhooks.module.css';

interface Listed {
  readonly name: string;
  readonly webhook_doctype: string;
  readonly webhook_docevent: string;
  readonly request_url: string;
  readonly enabled: 0 | 1;
}

const COLUMNS = ['name', 'webhook_doctype', 'webhook_docevent', 'request_url', 'enabled'];
/** Maximum rows shown. Users find the others by search. */
const MOST = 100;

/** All webhooks, with their figures of the last day. */
export function Screen() {
  const [typed, setTyped] = useState('');
  const go = useGo();
  useFreshness(['Webhook']);
  const hooks = useQuery({
    queryKey: keys.list('Webhook', { fields: COLUMNS }),
    queryFn: ({ signal }) =>
      listRows<Listed>(
        'Webhook',
        { fields: COLUMNS, order_by: 'name asc', limit_page_length: 1_000 },
        { signal },
      ),
  });
  const overview = useQuery({
    queryKey: ['method', 'chancery.webhook.overview', 24],
    queryFn: ({ signal }) => readOverview(24, signal),
    refetchInterval: 30_000,
  });
  const mayCreate = may('Webhook', 'create');
  useShortcut('webhooks', 'n', t('New webhook'), () => go(paths.newWebhook()), { isOn: mayCreate });
  const text = typed.trim().toLowerCase();
  const found = (hooks.data ?? []).filter((hook) =>
    [hook.name, hook.webhook_doctype, hook.request_url].some((one) => one?.toLowerCase().includes(text)),
  );
  const figures = new Map((overview.data?.webhooks ?? []).map((one) => [one.webhook, one]));
  return (
    <Page
      title={t('Webhooks')}
      actions={
        <>
          <Button icon="send" onClick={() => go(paths.deliveries())}>
            {t('All deliveries')}
          </Button>
          {mayCreate && (
            <Button kind="primary" icon="plus" onClick={() => go(paths.newWebhook())}>
              {t('New webhook')}
            </Button>
          )}
        </>
      }
    >
      {hooks.error ? (
        <ErrorPanel error={hooks.error} onRetry={() => void hooks.refetch()} />
      ) : !hooks.data ? (
        <Skeleton height={240} />
      ) : hooks.data.length === 0 ? (
        <NoWebhooks />
      ) : (
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
          {overview.error && <ErrorPanel error={overview.error} />}
          <HookTable hooks={found.slice(0, MOST)} figures={figures} />
        </>
      )}
    </Page>
  );
}

function HookTable({
  hooks,
  figures,
}: {
  readonly hooks: readonly Listed[];
  readonly figures: ReadonlyMap<string, WebhookOverview>;
}) {
  const slots = siteSlots('hour', 23);
  return (
    <Table
      label={t('Webhooks')}
      rows={hooks}
      rowKey={({ name }) => name}
      columns={[
        {
          id: 'enabled',
          label: <Hidden>{t('Enabled')}</Hidden>,
          cell: (hook) => <EnabledSwitch hook={hook} />,
        },
        {
          id: 'name',
          label: t('Name'),
          isHeader: true,
          cell: ({ name, request_url: url }) => (
            <div className={css['hookName']}>
              <PathLink to={paths.webhook(name)}>
                <Truncate text={name} />
              </PathLink>
              <Muted isSmall>
                <Truncate text={hostOf(url)} />
              </Muted>
            </div>
          ),
        },
        {
          id: 'event',
          label: t('Event'),
          cell: (hook) => `${hook.webhook_doctype} · ${eventWord(hook.webhook_docevent)}`,
        },
        {
          id: 'spark',
          label: t('24 hours'),
          cell: ({ name }) => {
            const known = figures.get(name);
            const values = alongSlots(
              slots,
              known?.by_hour ?? [],
              ({ hour }) => hour,
              ({ deliveries, failed }) => ({ all: deliveries, failed }),
              { all: 0, failed: 0 },
            );
            const failed = values.reduce((sum, one) => sum + one.failed, 0);
            const label = t('{count} deliveries, {failed} of them failed', {
              count: formatNumber(known?.deliveries ?? 0),
              failed: formatNumber(failed),
            });
            return <Sparkline values={values} label={label} />;
          },
        },
        {
          id: 'success',
          label: t('Success'),
          isNumber: true,
          cell: ({ name }) => {
            const known = figures.get(name);
            return known ? successText(known) : '–';
          },
        },
        {
          id: 'p95',
          label: 'p95',
          isNumber: true,
          cell: ({ name }) => millisText(figures.get(name)?.p95_ms ?? null),
        },
        {
          id: 'error',
          label: t('Last error'),
          cell: ({ name }) => {
            const known = figures.get(name);
            if (!known?.last_error) return <Muted>–</Muted>;
            return (
              <div className={css['lastError']}>
                <Truncate text={known.last_error} />
                <Muted isSmall>{known.last_error_at ? formatRelative(known.last_error_at) : ''}</Muted>
              </div>
            );
          },
        },
      ]}
    />
  );
}

function EnabledSwitch({ hook }: { readonly hook: Listed }) {
  const client = useQueryClient();
  const { isBusy, run } = useTask();
  const change = (isOn: boolean) =>
    run(async () => {
      await updateDocument('Webhook', hook.name, { enabled: isOn ? 1 : 0 });
      await client.invalidateQueries({ queryKey: keys.lists('Webhook') });
      void client.invalidateQueries({ queryKey: keys.doc('Webhook', hook.name) });
      toast(
        'success',
        isOn ? t('{name} is enabled', { name: hook.name }) : t('{name} is disabled', { name: hook.name }),
      );
    }, tellFailure);
  return (
    <Switch
      aria-label={t('{name} enabled', { name: hook.name })}
      isOn={hook.enabled === 1}
      disabled={isBusy || !may('Webhook', 'write')}
      onChange={(isOn) => void change(isOn)}
    />
  );
}

// In a template, only the part before the first placeholder is a URL.
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
