import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { may } from '../../meta/permissions.ts';
import { Icon } from '../../widgets/icon.tsx';
import { Muted } from '../../widgets/layout.tsx';
import css from './home.module.css';
import { useFirstSteps } from './use-first-steps.ts';

/** One line in place of the figures, while there are no webhooks. */
export function NoDeliveriesLine() {
  const steps = useFirstSteps();
  // The first steps have the same link.
  if (!may('Webhook', 'create') || steps !== null) return null;
  return (
    <p className={css['line']}>
      <Icon name="webhook" />
      <Muted>{t('No webhooks yet')}</Muted>
      <PathLink to={paths.newWebhook()}>{t('New webhook')}</PathLink>
    </p>
  );
}
