import { t } from '../base/i18n.ts';
import { PathLink } from '../base/navigation.tsx';
import { paths } from '../base/paths.ts';
import { EmptyState } from '../widgets/empty-state.tsx';
import { Page } from '../widgets/page.tsx';

/** The screen for an address that the user's roles do not open. */
export function NotPermitted() {
  return (
    <Page title={t('Not permitted')}>
      <EmptyState
        icon="lock"
        title={t('You have no access to this page')}
        action={<PathLink to={paths.home()}>{t('Go to the start')}</PathLink>}
      >
        {t('Ask an administrator for a role that includes it.')}
      </EmptyState>
    </Page>
  );
}
