import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';

/** Empty state of the webhooks list. */
export function NoWebhooks() {
  const go = useGo();
  return (
    <EmptyState
      icon="webhook"
      title={t('No webhooks yet')}
      action={
        may('Webhook', 'create') && (
          <Button kind="primary" icon="plus" onClick={() => go(paths.newWebhook())}>
            {t('New webhook')}
          </Button>
        )
      }
    >
      {t(
        'A webhook notifies another system when documents change. Deliveries are signed, ordered and retried.',
      )}
    </EmptyState>
  );
}
