import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useSearch, useSetSearch } from '../../base/navigation.tsx';
import { useUser } from '../../data/boot.ts';
import { Badge } from '../../widgets/feedback.tsx';
import { Card, Stack } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { Tabs } from '../../widgets/tabs.tsx';
import { ApiKeys } from '../users/api-keys.tsx';
import { Sessions } from '../users/sessions.tsx';
import { Look } from './look.tsx';
import { Password } from './password.tsx';
import { Person } from './person.tsx';
import { SecondFactor } from './second-factor.tsx';

const TABS = ['profile', 'security', 'keys'];

/** Personal settings of a user. */
export function Screen() {
  const user = useUser();
  const setSearch = useSetSearch();
  const asked = useSearch((search) => String(search['tab'] ?? ''));
  const [tab, setTab] = useState(TABS.includes(asked) ? asked : 'profile');
  const show = (next: string) => {
    setTab(next);
    setSearch({ tab: next === 'profile' ? undefined : next });
  };
  return (
    <Page
      title={t('Profile')}
      beside={user.isSystemManager && <Badge tone="info">{t('System Manager')}</Badge>}
      isNarrow
    >
      <Tabs
        label={t('Parts of your profile')}
        value={tab}
        onChange={show}
        tabs={[
          {
            id: 'profile',
            label: t('Profile'),
            content: (
              <Stack>
                <Person />
                <Look />
              </Stack>
            ),
          },
          {
            id: 'security',
            label: t('Password and sessions'),
            content: (
              <Stack>
                <Password />
                <SecondFactor />
                <Card>
                  <Sessions user={user.name} />
                </Card>
              </Stack>
            ),
          },
          {
            id: 'keys',
            label: t('API keys'),
            content: (
              <Card>
                <ApiKeys user={user.name} />
              </Card>
            ),
          },
        ]}
      />
    </Page>
  );
}
