import { t } from '../../base/i18n.ts';
import { Drawer } from '../../widgets/dialogs.tsx';
import { Sidebar } from './sidebar.tsx';

/** The sidebar on a narrow screen. */
export function SideDrawer({ onClose }: { readonly onClose: () => void }) {
  return (
    <Drawer isOpen onClose={onClose} title="Chancery" side="start" width={280}>
      <nav aria-label={t('Screens')}>
        <Sidebar isInDrawer />
      </nav>
    </Drawer>
  );
}
