import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo, useRouteParams, useSearch, useSetSearch } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { deleteDocument, readDocument } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Page } from '../../widgets/page.tsx';
import { ScreenProblem } from '../../widgets/screen-problem.tsx';
import { Tabs } from '../../widgets/tabs.tsx';
import { DeliveriesView } from '../deliveries/deliveries-view.tsx';
import { StatsTab } from './stats-tab.tsx';
import { WebhookEditor } from './webhook-editor.tsx';

const TABS = ['editor', 'deliveries', 'stats'] as const;

/** A webhook: editor, deliveries and statistics. */
export function Screen() {
  const { name = '' } = useRouteParams();
  return <Webhook key={name} name={name} />;
}

function Webhook({ name }: { readonly name: string }) {
  const stated = useSearch((search) => search['tab']);
  const setSearch = useSetSearch();
  const tab = TABS.find((one) => one === stated) ?? 'editor';
  const { data, error, refetch } = useQuery({
    queryKey: keys.doc('Webhook', name),
    queryFn: ({ signal }) => readDocument('Webhook', name, { signal }),
  });
  // Drops search parameters of the other tab, such as its filters.
  const choose = (next: string) =>
    setSearch({
      tab: next === 'editor' ? undefined : next,
      page: undefined,
      delivery: undefined,
      status: undefined,
      http: undefined,
      span: undefined,
      document: undefined,
      attempts: undefined,
      range: undefined,
    });
  const trail = [{ label: t('Webhooks'), path: paths.webhooks() }];
  if (error) return <ScreenProblem error={error} onRetry={() => void refetch()} title={name} trail={trail} />;
  return (
    <Page title={name} trail={trail}>
      {!data ? (
        <Skeleton height={400} />
      ) : (
        <Tabs
          label={t('Parts of the webhook')}
          value={tab}
          onChange={choose}
          tabs={[
            {
              id: 'editor',
              label: t('Editor'),
              content: (
                <WebhookEditor known={data} onSaved={() => undefined} extra={<Delete name={name} />} />
              ),
            },
            { id: 'deliveries', label: t('Deliveries'), content: <DeliveriesView webhook={name} /> },
            { id: 'stats', label: t('Stats'), content: <StatsTab webhook={name} /> },
          ]}
        />
      )}
    </Page>
  );
}

function Delete({ name }: { readonly name: string }) {
  const [isAsked, setAsked] = useState(false);
  const client = useQueryClient();
  const go = useGo();
  if (!may('Webhook', 'delete')) return null;
  const run = async () => {
    await deleteDocument('Webhook', name);
    client.removeQueries({ queryKey: keys.doc('Webhook', name) });
    void client.invalidateQueries({ queryKey: keys.lists('Webhook') });
    go(paths.webhooks());
  };
  return (
    <>
      <Button icon="trash" onClick={() => setAsked(true)}>
        {t('Delete')}
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={t('Delete the webhook {name}?', { name })}
        action={t('Delete')}
        isDanger
        run={run}
      >
        {t('Waiting deliveries are cancelled. The delivery log is kept.')}
      </ConfirmDialog>
    </>
  );
}
