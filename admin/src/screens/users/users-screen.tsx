import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useSearch, useSetSearch } from '../../base/navigation.tsx';
import { useShortcut } from '../../base/shortcuts.ts';
import { useFreshness } from '../../data/events.ts';
import { Button } from '../../widgets/button.tsx';
import { Row } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { SearchBox } from '../../widgets/search-box.tsx';
import { SegmentedControl } from '../../widgets/segmented-control.tsx';
import { NewUser } from './new-user.tsx';
import { type Shown, usersQuery } from './user-data.ts';
import { UserList } from './user-list.tsx';
import css from './users.module.css';

/** Users, their roles and their last sign-in. */
export function Screen() {
  useFreshness(['User']);
  const { text, shown } = useSearch(readUsersSearch);
  const setSearch = useSetSearch();
  const [isMaking, setMaking] = useState(false);
  useShortcut('list', 'n', t('New user'), () => setMaking(true));
  return (
    <Page
      title={t('Users')}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          {t('New user')}
        </Button>
      }
    >
      <Row isApart>
        <div className={css['search']}>
          <SearchBox
            scope="list"
            label={t('Search users')}
            placeholder={t('Name or e-mail')}
            value={text}
            onChange={(next) => setSearch({ q: next || undefined })}
          />
        </div>
        <SegmentedControl<Shown>
          label={t('Filter by state')}
          value={shown}
          onChange={(next) => setSearch({ show: next === 'all' ? undefined : next })}
          choices={[
            { value: 'all', label: t('All') },
            { value: 'enabled', label: t('Enabled') },
            { value: 'disabled', label: t('Disabled') },
          ]}
        />
      </Row>
      <UserList query={usersQuery(text, shown)} isNarrowed={text !== '' || shown !== 'all'} />
      {isMaking && <NewUser onClose={() => setMaking(false)} />}
    </Page>
  );
}

function readUsersSearch(search: Readonly<Record<string, unknown>>): { text: string; shown: Shown } {
  const shown = search['show'];
  return {
    text: search['q'] === undefined ? '' : String(search['q']),
    shown: shown === 'enabled' || shown === 'disabled' ? shown : 'all',
  };
}
