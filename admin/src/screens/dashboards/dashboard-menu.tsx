import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { IconButton } from '../../widgets/button.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { Menu } from '../../widgets/menu.tsx';
import { type Dashboard, deleteDashboard, saveDashboard } from './dashboard-data.ts';
import { DashboardDialog } from './dashboard-dialog.tsx';

/** Renames, assigns and deletes a dashboard. */
export function DashboardMenu({
  dashboard,
  onGone,
}: {
  readonly dashboard: Dashboard;
  readonly onGone: () => void;
}) {
  const [asked, setAsked] = useState<'fields' | 'delete' | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <Menu
        target={<IconButton icon="more" label={t('More')} />}
        items={[
          { label: t('Name and roles…'), icon: 'users', run: () => setAsked('fields') },
          'divider',
          { label: t('Delete…'), icon: 'trash', isDanger: true, run: () => setAsked('delete') },
        ]}
      />
      {asked === 'fields' && (
        <DashboardDialog
          title={t('Name and roles')}
          action={t('Save')}
          of={{ label: dashboard.label, roles: dashboard.roles, position: dashboard.position }}
          onClose={close}
          run={(fields) => saveDashboard(dashboard, fields)}
        />
      )}
      <ConfirmDialog
        isOpen={asked === 'delete'}
        onClose={close}
        title={t('Delete {name}?', { name: dashboard.label })}
        action={t('Delete')}
        isDanger
        run={async () => {
          await deleteDashboard(dashboard.name, onGone);
          toast('success', t('Dashboard deleted'));
        }}
      >
        {t('Its views and their records are kept.')}
      </ConfirmDialog>
    </>
  );
}
