import { t, tn } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { DoctypeGroupPart } from './doctype-group.tsx';
import css from './doctypes.module.css';
import { useDoctypes } from './use-doctypes.ts';

const FIELD = 'doctype-search';

/** All doctypes that the user may read: those of the site, and those of the system below them. */
export function Screen() {
  const { typed, setTyped, isManager, isSearching, groups } = useDoctypes();
  const go = useGo();
  const count = groups.reduce((sum, { lines }) => sum + lines.length, 0);
  useShortcut('list', '/', t('Search'), () => document.getElementById(FIELD)?.focus());
  return (
    <Page
      title={t('Doctypes')}
      beside={<Muted>{tn(count, '{count} doctype', '{count} doctypes')}</Muted>}
      actions={
        may('DocType', 'create') && (
          <Button kind="primary" icon="plus" onClick={() => go(paths.designer())}>
            {t('New doctype')}
          </Button>
        )
      }
    >
      <div className={css['search']}>
        <TextInput
          id={FIELD}
          type="search"
          aria-label={t('Search doctypes')}
          placeholder={t('Name or module')}
          start={<Icon name="search" />}
          value={typed}
          onChange={setTyped}
        />
      </div>
      {groups.length === 0 ? (
        <EmptyState icon="search" title={isSearching ? t('Nothing found') : t('No doctypes to read')}>
          {isSearching
            ? t('No doctype has {text} in its name or module.', { text: typed })
            : t('Ask an administrator for a role with read access.')}
        </EmptyState>
      ) : (
        <Stack gap={4}>
          {groups.map((group) => (
            <DoctypeGroupPart
              key={group.id}
              group={group}
              hasFacts={isManager}
              isOpen={isSearching || group.id === groups[0]?.id}
            />
          ))}
        </Stack>
      )}
    </Page>
  );
}
