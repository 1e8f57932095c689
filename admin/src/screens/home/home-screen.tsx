import { t } from '../../base/i18n.ts';
import { DeliveryCharts } from '../../charts/delivery-charts.tsx';
import { RangePicker, useRange } from '../../charts/range-picker.tsx';
import { useUser } from '../../data/boot.ts';
import { may } from '../../meta/permissions.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { Failing } from './failing.tsx';
import { FirstSteps } from './first-steps.tsx';
import css from './home.module.css';
import { HomeDashboard } from './home-dashboard.tsx';
import { HomeTiles } from './home-tiles.tsx';
import { NoDeliveriesLine } from './no-deliveries-line.tsx';
import { OwnDoctypes } from './own-doctypes.tsx';
import { Recently } from './recently.tsx';
import { useDeliveryFigures } from './use-delivery-figures.ts';

/** Home: first steps, figures of deliveries for users with access, recent records and doctypes. */
export function Screen() {
  const user = useUser();
  const seesDeliveries = may('Webhook', 'read') && may('Webhook Request Log', 'read');
  const range = useRange();
  const figures = useDeliveryFigures(range, seesDeliveries);
  const { overview, stats } = figures;
  const isEmpty = overview?.webhooks.length === 0 && stats?.total.deliveries === 0;
  const isShown = overview && stats && !isEmpty;
  return (
    <Page title={t('Welcome, {name}', { name: user.fullName })}>
      <Stack>
        <FirstSteps />
        <HomeDashboard />
        {figures.error && <ErrorPanel error={figures.error} onRetry={figures.retry} />}
        {seesDeliveries && !figures.error && !(overview && stats) && <Skeleton height={76} />}
        {isShown && <HomeTiles figures={stats.total} queue={overview.queue} range={range} />}
        {isShown && <Failing webhooks={overview.webhooks} />}
        <div className={css['columns']}>
          <Recently />
          <OwnDoctypes />
        </div>
        {isEmpty && <NoDeliveriesLine />}
        {isShown && (
          <>
            <Row isApart>
              <h2>{t('Deliveries')}</h2>
              <RangePicker />
            </Row>
            <div className={css['columns']}>
              <DeliveryCharts stats={stats} range={range} />
            </div>
          </>
        )}
      </Stack>
    </Page>
  );
}
