import { useQueryClient } from '@tanstack/react-query';
import { t } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { updateDocument } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { may } from '../../meta/permissions.ts';
import { Switch } from '../../widgets/checks.tsx';
import { tellFailure } from '../../widgets/error-panel.tsx';
import type { Hook } from './hook.ts';

/** Enables and disables a webhook in the list. */
export function EnabledSwitch({ hook }: { readonly hook: Pick<Hook, 'name' | 'enabled'> }) {
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
