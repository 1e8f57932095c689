import { t } from '../../base/i18n.ts';
import { useUser } from '../../data/boot.ts';
import { Card, Stack } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { RecentRecords } from './recent-records.tsx';

/** Where one begins. */
export function Screen() {
  const user = useUser();
  return (
    <Page title={t('Welcome, {name}', { name: user.fullName })} isNarrow>
      <Card label={t('Recently changed')}>
        <Stack gap={2}>
          <h2>{t('Recently changed')}</h2>
          <RecentRecords />
        </Stack>
      </Card>
    </Page>
  );
}
