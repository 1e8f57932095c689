import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { IconButton } from '../../widgets/button.tsx';
import { Menu } from '../../widgets/menu.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import { type DeliveryFilters, filterCount } from './delivery-filters.ts';
import { RecoverDialog } from './recover-dialog.tsx';
import { filtersNow } from './use-deliveries.ts';

/** Actions on all deliveries that match the filters. */
export function BulkMenu({ filters }: { readonly filters: DeliveryFilters }) {
  const [open, setOpen] = useState<'resend' | 'cancel' | 'recover' | null>(null);
  const isAll = filterCount(filters) === 0;
  return (
    <>
      <Menu
        label={t('Many deliveries')}
        target={<IconButton icon="more" label={t('Many deliveries')} />}
        items={[
          {
            label: t('Resend all matching…'),
            icon: 'send',
            isDisabled: isAll,
            run: () => setOpen('resend'),
          },
          { label: t('Recover failed deliveries…'), icon: 'history', run: () => setOpen('recover') },
          'divider',
          { label: t('Cancel all waiting…'), icon: 'close', isDanger: true, run: () => setOpen('cancel') },
        ]}
      />
      {(open === 'resend' || open === 'cancel') && (
        <BulkDialog action={{ kind: open, filters: filtersNow(filters) }} onClose={() => setOpen(null)} />
      )}
      {open === 'recover' && <RecoverDialog webhook={filters.webhook} onClose={() => setOpen(null)} />}
    </>
  );
}
