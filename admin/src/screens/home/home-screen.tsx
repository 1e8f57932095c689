import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useBoot, useUser } from '../../data/boot.ts';
import { may } from '../../meta/permissions.ts';
import { Card, Row, Stack } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { SegmentedControl } from '../../widgets/segmented-control.tsx';
import { RowCount } from '../doctypes/row-count.tsx';
import { DeliveryHome } from './delivery-home.tsx';
import css from './home.module.css';
import { RecentRecords, workedDoctypes } from './recent-records.tsx';

/** Home: delivery statistics for users with access, recent changes, and shortcuts. */
export function Screen() {
  const user = useUser();
  const seesDeliveries = may('Webhook', 'read') && may('Webhook Request Log', 'read');
  return (
    <Page title={t('Welcome, {name}', { name: user.fullName })}>
      {seesDeliveries && <DeliveryHome />}
      <div className={css['columns']}>
        <Recently />
        <Doctypes />
      </div>
    </Page>
  );
}

function Recently() {
  const [by, setBy] = useState<'all' | 'me'>('all');
  return (
    <Card label={t('Recently changed')}>
      <Stack gap={2}>
        <Row isApart>
          <h2>{t('Recently changed')}</h2>
          <SegmentedControl
            label={t('Changed by')}
            value={by}
            onChange={setBy}
            choices={[
              { value: 'all', label: t('By everyone') },
              { value: 'me', label: t('By me') },
            ]}
          />
        </Row>
        <RecentRecords key={by} isOwn={by === 'me'} />
      </Stack>
    </Card>
  );
}

function Doctypes() {
  const boot = useBoot();
  const names = workedDoctypes(boot);
  if (names.length === 0) return null;
  return (
    <Card label={t('Doctypes')}>
      <Stack gap={2}>
        <Row isApart>
          <h2>{t('Doctypes')}</h2>
          <PathLink to={paths.doctypes()}>{t('All doctypes')}</PathLink>
        </Row>
        <ul className={css['recent']}>
          {names.map((name) => {
            const doctype = boot.doctypes.get(name);
            return (
              <li key={name}>
                <PathLink to={paths.list(name)}>{t(name)}</PathLink>
                {doctype && <RowCount doctype={doctype} />}
              </li>
            );
          })}
        </ul>
      </Stack>
    </Card>
  );
}
