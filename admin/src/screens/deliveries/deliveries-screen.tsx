import { t } from '../../base/i18n.ts';
import { paths } from '../../base/paths.ts';
import { Page } from '../../widgets/page.tsx';
import { DeliveriesView } from './deliveries-view.tsx';

/** The live list of deliveries of all webhooks. */
export function Screen() {
  return (
    <Page title={t('Deliveries')} trail={[{ label: t('Webhooks'), path: paths.webhooks() }]}>
      <DeliveriesView />
    </Page>
  );
}
