import { t } from '../base/i18n.ts';
import { PathLink } from '../base/navigation.tsx';
import { paths } from '../base/paths.ts';
import { EmptyState } from '../widgets/empty-state.tsx';
import { Page } from '../widgets/page.tsx';

/** The screen for an unknown address. */
export function NotFound() {
  return (
    <Page title={t('Not found')}>
      <EmptyState
        icon="search"
        title={t('Page not found')}
        action={<PathLink to={paths.home()}>{t('Go to the start')}</PathLink>}
      >
        {t('It was moved or deleted, or the address is wrong.')}
      </EmptyState>
    </Page>
  );
}
