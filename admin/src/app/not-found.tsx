import { t } from '../base/i18n.ts';
import { PathLink } from '../base/navigation.tsx';
import { paths } from '../base/paths.ts';
import { EmptyState } from '../widgets/empty-state.tsx';
import { Page } from '../widgets/page.tsx';

/** An address that leads nowhere. */
export function NotFound() {
  return (
    <Page title={t('Not found')}>
      <EmptyState
        icon="search"
        title={t('There is nothing at this address')}
        action={<PathLink to={paths.home()}>{t('Go to the start')}</PathLink>}
      >
        {t('It may have been moved or deleted, or the address was mistyped.')}
      </EmptyState>
    </Page>
  );
}
