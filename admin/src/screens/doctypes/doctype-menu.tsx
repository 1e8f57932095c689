import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { may } from '../../meta/permissions.ts';
import { IconButton } from '../../widgets/button.tsx';
import { Menu } from '../../widgets/menu.tsx';
import type { DoctypeLine } from './use-doctypes.ts';

/** What can be done with a doctype. */
export function DoctypeMenu({ line: { name, listed } }: { readonly line: DoctypeLine }) {
  const go = useGo();
  return (
    <Menu
      label={t(name)}
      target={
        <IconButton
          isSmall
          hasTooltip={false}
          icon="more"
          label={t('Actions for {name}', { name: t(name) })}
        />
      }
      items={[
        listed && !listed.issingle
          ? { label: t('Open the list'), icon: 'list', run: () => go(paths.list(name)) }
          : null,
        listed?.issingle === true && {
          label: t('Open'),
          icon: 'settings',
          run: () => go(paths.record(name, name)),
        },
        listed !== null &&
          !listed.issingle &&
          may(name, 'create') && {
            label: t('New record'),
            icon: 'plus',
            run: () => go(paths.newRecord(name)),
          },
        may('DocType', 'write') && {
          label: t('Edit doctype'),
          icon: 'edit',
          run: () => go(paths.designer(name)),
        },
        listed !== null && {
          label: t('API'),
          icon: 'code',
          run: () => go(paths.apiDoctype(name)),
        },
        listed !== null &&
          may('Custom DocPerm', 'read') && {
            label: t('Permissions'),
            icon: 'lock',
            run: () => go(paths.permissions({ doctype: name })),
          },
      ]}
    />
  );
}
