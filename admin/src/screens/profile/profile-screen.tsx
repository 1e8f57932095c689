import { t } from '../../base/i18n.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Page } from '../../widgets/page.tsx';

/** Stands here until the screen is built. */
export function Screen() {
  return (
    <Page title={t('Profile')}>
      <EmptyState icon="settings" title={t('This screen is being built')} />
    </Page>
  );
}
