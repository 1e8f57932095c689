import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { toast } from '../../base/toasts.ts';
import { loadBoot } from '../../data/boot.ts';
import { deleteDocument } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';
import { IconButton } from '../../widgets/button.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { Menu } from '../../widgets/menu.tsx';
import type { Design } from './design-data.ts';
import { useProperty } from './use-property.ts';

/** What else there is to do with a stored doctype. `onGone` runs before the screen of a deleted one is left. */
export function DoctypeMenu({
  design: { name, app },
  onGone,
}: {
  readonly design: Design;
  readonly onGone: () => void;
}) {
  const go = useGo();
  const { isOn: isTable } = useProperty('istable');
  const [isAsking, setAsking] = useState(false);
  const remove = async () => {
    await deleteDocument('DocType', name);
    queryClient.removeQueries({ queryKey: keys.meta(name) });
    void queryClient.invalidateQueries({ queryKey: keys.lists('DocType') });
    await loadBoot();
    onGone();
    toast('success', t('{doctype} is deleted', { doctype: t(name) }));
    setTimeout(() => go(paths.doctypes(), { isReplacing: true }));
  };
  return (
    <>
      <Menu
        label={t('More actions')}
        target={<IconButton icon="more" label={t('More actions')} />}
        items={[
          !isTable && { label: t('Show records'), icon: 'list', run: () => go(paths.list(name)) },
          !isTable && {
            label: t('Permissions'),
            icon: 'lock',
            run: () => go(paths.permissions({ doctype: name })),
          },
          !isTable && { label: t('API'), icon: 'code', run: () => go(paths.apiDoctype(name)) },
          app === '' && 'divider',
          app === '' && {
            label: t('Delete doctype…'),
            icon: 'trash',
            isDanger: true,
            run: () => setAsking(true),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('Delete {doctype}?', { doctype: t(name) })}
        action={t('Delete doctype')}
        dismissal={t('Keep it')}
        isDanger
        run={remove}
      >
        {t(
          'The definition and the empty table are deleted. A doctype with records, or one that others use, stays.',
        )}
      </ConfirmDialog>
    </>
  );
}
